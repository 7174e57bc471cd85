"""The database itself refuses to change or delete an entry of the audit log."""

from django.db import migrations

REFUSE = """
CREATE FUNCTION config_auditentry_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'entries of the audit log are neither changed nor deleted'
        USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'audit_append_only';
END $$;
CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE ON config_auditentry
    FOR EACH STATEMENT EXECUTE FUNCTION config_auditentry_stays();
"""
ALLOW = """
DROP TRIGGER audit_append_only ON config_auditentry;
DROP FUNCTION config_auditentry_stays();
"""


class Migration(migrations.Migration):
    dependencies = [("config", "0001_initial")]
    operations = [migrations.RunSQL(REFUSE, ALLOW)]
