#!/bin/sh
# Starts a Sentinel of redundant.yaml. What it learns is kept in /data.
#   NAME: how others reach it   PRIMARY: the first primary   PASSWORD: of the servers   DATA [/data]   PORT [26379]
#   SILENT_MS: after how long without an answer a primary is replaced [5000]
set -eu
umask 077
file="${DATA:=/data}/sentinel.conf"
if [ ! -f "$file" ]; then
  cat > "$file.new" <<END
dir $DATA
port ${PORT:=26379}
sentinel resolve-hostnames yes
sentinel announce-hostnames yes
sentinel announce-ip $NAME
sentinel announce-port $PORT
sentinel monitor weir ${PRIMARY%:*} ${PRIMARY##*:} 2
sentinel auth-pass weir $PASSWORD
sentinel down-after-milliseconds weir ${SILENT_MS:-5000}
sentinel failover-timeout weir 60000
sentinel parallel-syncs weir 1
END
  mv "$file.new" "$file"
fi
exec redis-server "$file" --sentinel
