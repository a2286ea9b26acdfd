#!/bin/sh
# Writes the violations of the last 30 days into a Parquet file, for pandas, DuckDB, Spark and the like. It never has content.
#
# Run:
#   sh docs/examples/parquet.sh violations.parquet
#
# Prints:
#   violations.parquet: 8 rows
set -e
file=$1
# Where `npm start` has ClickHouse, and the user who may only read.
query() {
  curl -sS --fail-with-body --netrc-file "${WEIR_DATA_DIR:-.weir}/reader.netrc" "${SQL:-http://127.0.0.1:8123}" --data-binary @-
}

query > "$file" << 'SQL'
SELECT ts, scope, policy_name, severity, user_id, run_id, external_session_id, id
FROM weir.violations
WHERE ts > now() - INTERVAL 30 DAY
ORDER BY ts
FORMAT Parquet
SQL

rows=$(echo "SELECT count() FROM weir.violations WHERE ts > now() - INTERVAL 30 DAY" | query)
echo "$file: $rows rows"
