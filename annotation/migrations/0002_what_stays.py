"""The database itself refuses to change or delete releases and decisions on standings."""

from django.db import migrations

TABLES = ("annotation_release", "annotation_releaserow", "annotation_decision")
REFUSE = """
CREATE FUNCTION annotation_row_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'rows of % are neither changed nor deleted', TG_TABLE_NAME
        USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'row_stays';
END $$;
""" + "".join(
    f"CREATE TRIGGER row_stays BEFORE UPDATE OR DELETE ON {table} "
    "FOR EACH STATEMENT EXECUTE FUNCTION annotation_row_stays();\n"
    for table in TABLES
)
ALLOW = (
    "".join(f"DROP TRIGGER row_stays ON {table};\n" for table in TABLES)
    + "DROP FUNCTION annotation_row_stays();"
)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0001_initial")]
    operations = [migrations.RunSQL(REFUSE, ALLOW)]
