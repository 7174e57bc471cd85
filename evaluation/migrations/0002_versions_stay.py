"""The database itself refuses to edit a version of an instrument; one never used may be deleted."""

from django.db import migrations

REFUSE = """
CREATE FUNCTION evaluation_version_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'versions of instruments are never edited'
        USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'version_stays';
END $$;
CREATE TRIGGER version_stays BEFORE UPDATE ON evaluation_instrument
    FOR EACH STATEMENT EXECUTE FUNCTION evaluation_version_stays();
"""
ALLOW = """
DROP TRIGGER version_stays ON evaluation_instrument;
DROP FUNCTION evaluation_version_stays();
"""


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0001_initial")]
    operations = [migrations.RunSQL(REFUSE, ALLOW)]
