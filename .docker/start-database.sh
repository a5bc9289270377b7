#!/bin/sh
# Start PostgreSQL as its image does. Meanwhile give the arena two roles that are no superusers: `arena`, which owns the
# database, and `worker`, to which the service setup gives what workers need. From then on the superuser has no password,
# so it can sign in from within this container alone:
#     docker compose exec database psql --username pennant
# This is done at every start: a volume from before gets its roles, and new passwords hold.
set -u

set_up_roles() {
    psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --single-transaction \
        --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" --file - <<'SQL'
set log_min_error_statement = panic;
\getenv password POSTGRES_PASSWORD
select 'create role arena' where not exists (select from pg_roles where rolname = 'arena') \gexec
alter role arena login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password :'password';
\getenv worker_password POSTGRES_WORKER_PASSWORD
select 'create role worker' where not exists (select from pg_roles where rolname = 'worker') \gexec
alter role worker login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password :'worker_password';
alter database :"DBNAME" owner to arena;
select format('alter table %s owner to arena', oid::regclass) from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relowner <> 'arena'::regrole \gexec
alter role current_user password null;
SQL
}

# A new volume is set up by a server that ends again, in the middle of this perhaps: then nothing of it was done.
keep_trying() {
    tries=0
    until problem=$(set_up_roles 2>&1); do
        tries=$((tries + 1))
        [ $((tries % 100)) -ne 0 ] || echo "The roles can't be set up yet: $problem" >&2
        sleep 0.2
    done
}

(keep_trying &)
exec docker-entrypoint.sh "$@"
