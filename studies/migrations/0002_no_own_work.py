"""The database itself keeps a task from a worker who is barred from it."""

from django.db import migrations

REFUSE = """
CREATE FUNCTION studies_not_barred() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM studies_bar
        WHERE task_id = NEW.task_id AND participant_id = NEW.participant_id
    ) THEN
        RAISE EXCEPTION 'nobody judges their own work'
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'assignment_not_barred';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER assignment_not_barred
    BEFORE INSERT OR UPDATE OF task_id, participant_id ON studies_assignment
    FOR EACH ROW EXECUTE FUNCTION studies_not_barred();
"""
ALLOW = """
DROP TRIGGER assignment_not_barred ON studies_assignment;
DROP FUNCTION studies_not_barred();
"""


class Migration(migrations.Migration):
    dependencies = [("studies", "0001_initial")]
    operations = [migrations.RunSQL(REFUSE, ALLOW)]
