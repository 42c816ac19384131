-- Seals of rows are only ever added.

CREATE FUNCTION people_refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION '% rows are append-only', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE TRIGGER people_rowseal_is_append_only BEFORE DELETE OR UPDATE ON people_rowseal
    FOR EACH ROW EXECUTE FUNCTION people_refuse_change();
