#!/usr/bin/env bash
# Run once by the Postgres image: the owner of the tables, and the application's role that owns nothing.
set -euo pipefail

psql --set=ON_ERROR_STOP=1 --username postgres --dbname postgres \
    --set=owner_password="$MINDX_OWNER_PASSWORD" --set=app_password="$MINDX_APP_PASSWORD" <<'SQL'
CREATE ROLE mindx_owner LOGIN PASSWORD :'owner_password';
CREATE ROLE mindx_app LOGIN PASSWORD :'app_password';
CREATE DATABASE mindx OWNER mindx_owner;
REVOKE ALL ON DATABASE mindx FROM PUBLIC;
GRANT CONNECT ON DATABASE mindx TO mindx_app;
\connect mindx
CREATE EXTENSION vector;
ALTER SCHEMA public OWNER TO mindx_owner;
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO mindx_app;
SQL
