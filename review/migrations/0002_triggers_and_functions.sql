-- What the tables of review need and Django's models cannot say: rows that only come, the queue, and the gate's stamp.

-- ---- Rows that are only ever added --------------------------------------------------------------------------------------

CREATE FUNCTION review_refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION '% rows are append-only', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE TRIGGER review_approval_is_append_only BEFORE DELETE OR UPDATE ON review_approval
    FOR EACH ROW EXECUTE FUNCTION review_refuse_change();
CREATE TRIGGER review_auditentry_is_append_only BEFORE DELETE OR UPDATE ON review_auditentry
    FOR EACH ROW EXECUTE FUNCTION review_refuse_change();
CREATE TRIGGER review_decision_is_append_only BEFORE DELETE OR UPDATE ON review_decision
    FOR EACH ROW EXECUTE FUNCTION review_refuse_change();
CREATE TRIGGER review_leveldecision_is_append_only BEFORE DELETE OR UPDATE ON review_leveldecision
    FOR EACH ROW EXECUTE FUNCTION review_refuse_change();
CREATE TRIGGER review_policychange_is_append_only BEFORE DELETE OR UPDATE ON review_policychange
    FOR EACH ROW EXECUTE FUNCTION review_refuse_change();
CREATE TRIGGER review_policyversion_is_append_only BEFORE DELETE OR UPDATE ON review_policyversion
    FOR EACH ROW EXECUTE FUNCTION review_refuse_change();
CREATE TRIGGER review_typedevent_is_append_only BEFORE DELETE OR UPDATE ON review_typedevent
    FOR EACH ROW EXECUTE FUNCTION review_refuse_change();

-- ---- The queue ----------------------------------------------------------------------------------------------------------

CREATE FUNCTION review_plan_moved() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    UPDATE review_queueentry SET waits = (NEW.state = 'awaiting_review') WHERE intent_plan_id = NEW.id;
    IF NEW.state <> 'awaiting_review' THEN
        UPDATE review_reviewclock SET due_at = NULL, escalate_at = NULL
        WHERE intent_plan_id = NEW.id AND (due_at IS NOT NULL OR escalate_at IS NOT NULL);
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER review_plan_moved AFTER UPDATE OF state ON agents_intentplan
    FOR EACH ROW WHEN (OLD.state <> NEW.state AND (OLD.state = 'awaiting_review' OR NEW.state = 'awaiting_review'))
    EXECUTE FUNCTION review_plan_moved();

CREATE FUNCTION review_shadow_ended() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP = 'INSERT' OR OLD.state <> NEW.state THEN
        INSERT INTO review_plannews (intent_plan_id) VALUES (NEW.intent_plan_id);
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER review_shadow_ended AFTER INSERT OR UPDATE OF state ON agents_shadowrun
    FOR EACH ROW WHEN (NEW.state IN ('done', 'impossible')) EXECUTE FUNCTION review_shadow_ended();

-- ---- The gate's stamp ---------------------------------------------------------------------------------------------------
-- It is taken before every step and must cost the same however much there is. Rows of the plan are looked at by their
-- versions (xmin, ctid). What stands behind all plans (policies, people, rules) changes seldom: each change of it counts
-- up a number, with the rights of the tables' owner, and the stamp takes the sum. The application can only read them.

CREATE TABLE review_ground (
    name text PRIMARY KEY,
    version bigint NOT NULL DEFAULT 0
);
INSERT INTO review_ground (name) VALUES ('policy'), ('person'), ('component');

CREATE FUNCTION review_ground_moved() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    UPDATE public.review_ground SET version = version + 1 WHERE name = TG_ARGV[0];
    IF NOT FOUND THEN
        RAISE EXCEPTION 'nothing counts the changes of %', TG_ARGV[0] USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER review_ground_changed AFTER UPDATE OF kind, name ON library_component
    FOR EACH ROW WHEN (OLD.kind IS DISTINCT FROM NEW.kind
        OR OLD.name IS DISTINCT FROM NEW.name) EXECUTE FUNCTION review_ground_moved('component');
CREATE TRIGGER review_ground_moved AFTER DELETE ON library_component
    FOR EACH ROW EXECUTE FUNCTION review_ground_moved('component');
CREATE TRIGGER review_ground_changed AFTER UPDATE OF component_id, version, status, body ON library_componentversion
    FOR EACH ROW WHEN (OLD.component_id IS DISTINCT FROM NEW.component_id
        OR OLD.version IS DISTINCT FROM NEW.version
        OR OLD.status IS DISTINCT FROM NEW.status
        OR OLD.body IS DISTINCT FROM NEW.body) EXECUTE FUNCTION review_ground_moved('component');
CREATE TRIGGER review_ground_moved AFTER INSERT OR DELETE ON library_componentversion
    FOR EACH ROW EXECUTE FUNCTION review_ground_moved('component');
CREATE TRIGGER review_ground_changed AFTER UPDATE OF is_active, is_superuser, roles ON people_user
    FOR EACH ROW WHEN (OLD.is_active IS DISTINCT FROM NEW.is_active
        OR OLD.is_superuser IS DISTINCT FROM NEW.is_superuser
        OR OLD.roles IS DISTINCT FROM NEW.roles) EXECUTE FUNCTION review_ground_moved('person');
CREATE TRIGGER review_ground_moved AFTER DELETE ON people_user
    FOR EACH ROW EXECUTE FUNCTION review_ground_moved('person');
CREATE TRIGGER review_ground_changed AFTER UPDATE ON review_policyversion
    FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION review_ground_moved('policy');
CREATE TRIGGER review_ground_moved AFTER INSERT OR DELETE ON review_policyversion
    FOR EACH ROW EXECUTE FUNCTION review_ground_moved('policy');
CREATE TRIGGER review_ground_changed AFTER UPDATE OF state, number ON review_reviewpolicy
    FOR EACH ROW WHEN (OLD.state IS DISTINCT FROM NEW.state
        OR OLD.number IS DISTINCT FROM NEW.number) EXECUTE FUNCTION review_ground_moved('policy');
CREATE TRIGGER review_ground_moved AFTER INSERT OR DELETE ON review_reviewpolicy
    FOR EACH ROW EXECUTE FUNCTION review_ground_moved('policy');

CREATE FUNCTION review_stamp(asked bigint) RETURNS text
    LANGUAGE plpgsql
    AS $$
-- One word for all that the gate reads of a plan and that somebody could change since it was asked.
BEGIN
RETURN (
    SELECT concat_ws('|', plan.id, plan.goal_id, plan.workspace_id, plan.plan_id, plan.revision, plan.digest,
        plan.approved_digest, hashbyteaextended(plan.document, 0),
        '; approval', (
            SELECT string_agg(concat_ws(' ', approval.id, approval.xmin, approval.ctid), ',')
            FROM review_approval approval WHERE approval.intent_plan_id = asked),
        '; decision', (
            SELECT string_agg(concat_ws(' ', decision.id, decision.xmin, decision.ctid), ',')
            FROM review_decision decision WHERE decision.intent_plan_id = asked),
        '; ground', (SELECT sum(version) FROM review_ground))
    FROM agents_intentplan plan WHERE plan.id = asked);
END $$;
