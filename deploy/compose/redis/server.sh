#!/bin/sh
# Starts a Redis of redundant.yaml. Its configuration is made once and then kept in /data, where Sentinels have it rewritten: a server that
# comes back follows the primary of now, not that of the first start.
#   NAME: how others reach it   PRIMARY: the first primary   PASSWORD   MAXMEMORY   DATA [/data]   PORT [6379]
set -eu
umask 077
file="${DATA:=/data}/redis.conf"
if [ ! -f "$file" ]; then
  cat > "$file.new" <<END
dir $DATA
port ${PORT:=6379}
requirepass $PASSWORD
masterauth $PASSWORD
appendonly yes
appendfsync everysec
maxmemory $MAXMEMORY
maxmemory-policy noeviction
zset-max-listpack-value 256
min-replicas-to-write 1
min-replicas-max-lag 10
replica-announce-ip $NAME
replica-announce-port $PORT
END
  if [ "$NAME:$PORT" != "$PRIMARY" ]; then echo "replicaof ${PRIMARY%:*} ${PRIMARY##*:}" >> "$file.new"; fi
  mv "$file.new" "$file"
fi
exec redis-server "$file"
