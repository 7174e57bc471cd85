"""What surrounds a dump's own statements, so that it takes the place of what is in `public`.

The schema itself stays, and with it its owner, who may use it, default privileges, and extensions,
which often only a superuser can make. Tables are dropped and made anew; who was allowed what at one
of this name is allowed it again.
"""

# What the administrator of the server put there, not we.
NOT_OF_EXTENSION = """NOT EXISTS (
    SELECT FROM pg_depend d
    WHERE d.classid = '{catalog}'::regclass AND d.objid = {oid} AND d.deptype = 'e')"""

BEGIN = f"""
BEGIN;
SET LOCAL lock_timeout = '20s';
SET LOCAL client_min_messages = 'warning';

CREATE TEMPORARY TABLE allowed_before ON COMMIT DROP AS
SELECT c.relname, held.attname, a.grantee, a.privilege_type, a.is_grantable
FROM pg_class c
CROSS JOIN LATERAL (
    SELECT NULL::name AS attname, c.relacl AS acl
    UNION ALL
    SELECT attname, attacl FROM pg_attribute WHERE attrelid = c.oid AND attacl IS NOT NULL
) held
CROSS JOIN LATERAL aclexplode(held.acl) a
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f')
    AND a.grantee <> c.relowner
    AND {NOT_OF_EXTENSION.format(catalog="pg_class", oid="c.oid")};

DO $do$
DECLARE
    statements text[];
    statement text;
BEGIN
    -- Sequences last: most go with their table, and cannot go before it.
    SELECT array_agg(text ORDER BY text LIKE 'DROP SEQUENCE%') INTO statements FROM (
        SELECT format('DROP %s IF EXISTS public.%I CASCADE', CASE relkind
            WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'S' THEN 'SEQUENCE'
            WHEN 'f' THEN 'FOREIGN TABLE' WHEN 'c' THEN 'TYPE' ELSE 'TABLE' END, relname) AS text
        FROM pg_class c
        WHERE relnamespace = 'public'::regnamespace
            AND relkind IN ('r', 'p', 'v', 'm', 'S', 'f', 'c')
            AND {NOT_OF_EXTENSION.format(catalog="pg_class", oid="c.oid")}
        UNION ALL
        SELECT format('DROP ROUTINE IF EXISTS public.%I(%s) CASCADE', proname,
            pg_get_function_identity_arguments(p.oid))
        FROM pg_proc p
        WHERE pronamespace = 'public'::regnamespace
            AND {NOT_OF_EXTENSION.format(catalog="pg_proc", oid="p.oid")}
        UNION ALL
        SELECT format('DROP TYPE IF EXISTS public.%I CASCADE', typname)
        FROM pg_type t
        WHERE typnamespace = 'public'::regnamespace AND typtype IN ('d', 'e', 'r')
            AND {NOT_OF_EXTENSION.format(catalog="pg_type", oid="t.oid")}
    ) dropped;
    FOREACH statement IN ARRAY coalesce(statements, '{{}}') LOOP
        EXECUTE statement;
    END LOOP;
END
$do$;
"""

COMMIT = """
DO $do$
DECLARE
    statement text;
BEGIN
    FOR statement IN
        SELECT format('GRANT %s%s ON %s public.%I TO %s%s', b.privilege_type,
            CASE WHEN b.attname IS NULL THEN '' ELSE format(' (%I)', b.attname) END,
            CASE c.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, c.relname,
            CASE b.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(b.grantee)) END,
            CASE WHEN b.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
        FROM pg_temp.allowed_before b
        JOIN pg_class c ON c.relname = b.relname AND c.relnamespace = 'public'::regnamespace
        WHERE b.attname IS NULL OR EXISTS (
            SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = b.attname)
    LOOP
        EXECUTE statement;
    END LOOP;
END
$do$;
COMMIT;
"""
