-- What the tables of agents need and Django's models cannot say: guards, counters, sums, and the log in partitions.

-- ---- Room and vacuum ----------------------------------------------------------------------------------------------------

-- A step is written several times while it runs; with room left on its page, no index changes.
ALTER TABLE agents_intent SET (fillfactor = 45);
-- Reports are written and filed within seconds: the table stays small and keeps its pages instead of giving them back.
ALTER TABLE agents_stepreport
    SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, vacuum_truncate = off);

-- ---- The log, in partitions by goal -------------------------------------------------------------------------------------
-- Old lines go by dropping a table, never by deleting rows. Every question about a log names its goal, so one partition
-- is read; numbers of goals rise with time, so a partition holds the goals of some days.

CREATE TABLE agents_logline (
    id bigint,
    goal_id bigint NOT NULL,
    number bigint NOT NULL,
    at timestamptz NOT NULL,
    source varchar(64) NOT NULL,
    stage varchar(16) NOT NULL,
    level varchar(8) NOT NULL,
    text text NOT NULL,
    data jsonb NOT NULL,
    CONSTRAINT log_line_number_once_per_goal UNIQUE (goal_id, number)
) PARTITION BY RANGE (goal_id);
CREATE INDEX log_line_errors ON agents_logline (goal_id, number) WHERE level = 'error';
CREATE TABLE agents_logline_0 PARTITION OF agents_logline FOR VALUES FROM (0) TO (10000);
CREATE TABLE agents_logline_rest PARTITION OF agents_logline DEFAULT;

CREATE VIEW agents_logpartition AS
SELECT part.relname::text AS name, substring(bound.text FROM $$FROM \('(\d+)'\)$$)::bigint AS low,
       substring(bound.text FROM $$TO \('(\d+)'\)$$)::bigint AS high
FROM pg_inherits
JOIN pg_class part ON part.oid = pg_inherits.inhrelid
CROSS JOIN LATERAL (SELECT pg_get_expr(part.relpartbound, part.oid) AS text) AS bound
WHERE pg_inherits.inhparent = 'agents_logline'::regclass AND bound.text <> 'DEFAULT';

CREATE FUNCTION agents_log_ahead() RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
-- Make partitions until the goals of two more days, as many as the last one had, have one; returns how many were made.
DECLARE
    newest bigint;
    width bigint;
    top bigint;
    made integer := 0;
    part text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('agents_logline'));
    SELECT coalesce(max(id), 0) INTO newest FROM agents_goal;
    SELECT greatest(1000, newest - coalesce((
        SELECT id FROM agents_goal WHERE created_at < clock_timestamp() - interval '1 day' ORDER BY id DESC LIMIT 1
    ), 0)) INTO width;
    SELECT coalesce(max(high), 0) INTO top FROM agents_logpartition;
    WHILE top <= newest + 2 * width LOOP
        part := 'agents_logline_' || top;
        EXECUTE format('CREATE TABLE %I (LIKE agents_logline INCLUDING DEFAULTS)', part);
        -- What came while nothing lay ahead moves along.
        LOCK TABLE agents_logline_rest IN ACCESS EXCLUSIVE MODE;
        EXECUTE format('WITH moved AS (DELETE FROM agents_logline_rest WHERE goal_id >= %s AND goal_id < %s RETURNING *)'
                       ' INSERT INTO %I SELECT * FROM moved', top, top + width, part);
        EXECUTE format('ALTER TABLE agents_logline ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)',
                       part, top, top + width);
        top := top + width;
        made := made + 1;
    END LOOP;
    RETURN made;
END $$;

CREATE FUNCTION agents_log_expire(keep_days integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
-- Let go of the logs of one partition's goals that all ended this long ago; returns how many goal numbers that are, 0
-- when no partition can go. A partition in which only few lines are younger is put in its place with just these.
DECLARE
    oldest timestamptz := clock_timestamp() - make_interval(days => keep_days);
    -- Making a table smaller is not worth its lock for each goal that ends.
    overdue timestamptz := oldest - make_interval(days => greatest(1, keep_days / 10));
    few constant bigint := 100000;
    newest bigint;
    part record;
    kept bigint;
    counted bigint;
    left_over bigint;
    rest text;
BEGIN
    IF keep_days IS NULL OR keep_days < 1 THEN
        RAISE EXCEPTION 'logs are kept for a day at least';
    END IF;
    PERFORM pg_advisory_xact_lock(hashtext('agents_logline'));
    -- Lines that somebody's late word left for goals whose partition had gone already.
    DELETE FROM agents_logline_rest line USING agents_goal goal
    WHERE goal.id = line.goal_id AND goal.ended_at < oldest AND line.at < oldest;
    SELECT coalesce(max(id), 0) INTO newest FROM agents_goal;
    FOR part IN SELECT * FROM agents_logpartition WHERE low <= newest ORDER BY low LOOP
        -- The first goal whose log must stay: it goes on, ended lately, or somebody said something lately.
        SELECT goal.id INTO kept FROM agents_goal goal
        WHERE goal.id >= part.low AND goal.id < part.high AND (
            goal.ended_at IS NULL OR goal.ended_at >= oldest OR (
                SELECT line.at FROM agents_logline line WHERE line.goal_id = goal.id ORDER BY line.number DESC LIMIT 1
            ) >= oldest)
        ORDER BY goal.id LIMIT 1;
        kept := coalesce(kept, least(part.high, newest + 1));
        CONTINUE WHEN kept <= part.low;
        IF kept < part.high THEN
            CONTINUE WHEN NOT EXISTS (
                SELECT FROM agents_goal WHERE id >= part.low AND id < kept AND ended_at < overdue);
            EXECUTE format('SELECT count(*) FROM (SELECT FROM %I WHERE goal_id >= %s LIMIT %s) AS line',
                           part.name, kept, few + 1) INTO left_over;
            CONTINUE WHEN left_over > few;
        END IF;
        SELECT sum(last) INTO counted FROM agents_logcounter WHERE goal_id >= part.low AND goal_id < kept;
        CONTINUE WHEN counted IS NULL;
        LOCK TABLE agents_logline IN ACCESS EXCLUSIVE MODE;
        -- Whoever was writing has ended by now. A log that has grown meanwhile stays until the next time.
        CONTINUE WHEN counted IS DISTINCT FROM (
            SELECT sum(last) FROM agents_logcounter WHERE goal_id >= part.low AND goal_id < kept);
        IF kept < part.high THEN
            rest := 'agents_logline_' || kept;
            EXECUTE format('CREATE TABLE %I (LIKE agents_logline INCLUDING DEFAULTS)', rest);
            EXECUTE format('INSERT INTO %I SELECT * FROM %I WHERE goal_id >= %s', rest, part.name, kept);
        END IF;
        EXECUTE format('DROP TABLE %I', part.name);
        IF kept < part.high THEN
            EXECUTE format('ALTER TABLE agents_logline ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)',
                           rest, kept, part.high);
        END IF;
        INSERT INTO agents_logexpiry (first_goal, last_goal, keep_days, at)
        VALUES (part.low, kept - 1, keep_days, clock_timestamp());
        RETURN kept - part.low;
    END LOOP;
    RETURN 0;
END $$;

REVOKE ALL ON FUNCTION agents_log_ahead(), agents_log_expire(integer) FROM PUBLIC;

-- The counter of a goal's lines is made with the goal, so that who writes a line finds it there.
CREATE FUNCTION agents_goal_counts_its_lines() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO agents_logcounter (goal_id, last) VALUES (NEW.id, 0) ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;

CREATE TRIGGER goal_counts_its_lines AFTER INSERT ON agents_goal
    FOR EACH ROW EXECUTE FUNCTION agents_goal_counts_its_lines();

-- ---- Beliefs and their goals (docs/decisions/0017) ----------------------------------------------------------------------
-- Once for each goal of a statement that writes beliefs, where a foreign key would look once for each row.

CREATE FUNCTION agents_belief_look_for(goal bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM FROM agents_goal WHERE id = goal FOR KEY SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'a belief refers to goal %, which is not there', goal
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'belief_of_a_goal', TABLE = 'agents_belief';
    END IF;
END $$;

CREATE FUNCTION agents_belief_of_a_goal() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    goal bigint;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        PERFORM agents_belief_look_for(NEW.goal_id);
        RETURN NULL;
    END IF;
    FOR goal IN SELECT DISTINCT goal_id FROM written LOOP
        PERFORM agents_belief_look_for(goal);
    END LOOP;
    RETURN NULL;
END $$;

CREATE TRIGGER belief_of_a_goal AFTER INSERT ON agents_belief REFERENCING NEW TABLE AS written
    FOR EACH STATEMENT EXECUTE FUNCTION agents_belief_of_a_goal();
CREATE TRIGGER belief_of_another_goal AFTER UPDATE OF goal_id ON agents_belief
    FOR EACH ROW WHEN (OLD.goal_id IS DISTINCT FROM NEW.goal_id) EXECUTE FUNCTION agents_belief_of_a_goal();

CREATE FUNCTION agents_goal_believed_of() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF EXISTS (SELECT FROM agents_belief WHERE goal_id = OLD.id) THEN
        RAISE EXCEPTION 'goal % is referred to by beliefs', OLD.id
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'belief_of_a_goal', TABLE = 'agents_belief';
    END IF;
    RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER goal_believed_of AFTER DELETE OR UPDATE OF id ON agents_goal
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION agents_goal_believed_of();

-- ---- What never changes -------------------------------------------------------------------------------------------------

CREATE FUNCTION agents_intentplan_immutable() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'intent plan % is immutable: a change is a new revision', OLD.id
        USING ERRCODE = 'integrity_constraint_violation';
END $$;

-- After the update: before it, the row would be locked first, which is written to disk as well.
CREATE TRIGGER intent_plan_immutable
    AFTER UPDATE OF document, digest, goal_id, revision, workspace_id, plan_id ON agents_intentplan
    FOR EACH ROW WHEN (
        OLD.document IS DISTINCT FROM NEW.document OR OLD.digest IS DISTINCT FROM NEW.digest
        OR OLD.goal_id IS DISTINCT FROM NEW.goal_id OR OLD.revision IS DISTINCT FROM NEW.revision
        OR OLD.workspace_id IS DISTINCT FROM NEW.workspace_id OR OLD.plan_id IS DISTINCT FROM NEW.plan_id)
    EXECUTE FUNCTION agents_intentplan_immutable();

-- A check constraint would be evaluated by every statement that writes the row, whatever it writes.
CREATE FUNCTION agents_intentplan_sound() RETURNS trigger
    LANGUAGE plpgsql
    AS $body$
DECLARE
    broken text := CASE
        WHEN NEW.state NOT IN ('awaiting_review', 'approved', 'executing', 'complete', 'failed', 'rejected', 'superseded',
                               'expired', 'cancelled') THEN 'intent_plan_state_known'
        WHEN NEW.digest !~ '^[0-9a-f]{64}$' THEN 'intent_plan_digest_is_sha256'
        WHEN NEW.state IN ('approved', 'executing', 'complete') AND NEW.approved_digest <> NEW.digest
            THEN 'intent_plan_runs_only_what_was_approved'
    END;
BEGIN
    IF broken IS NOT NULL THEN
        RAISE EXCEPTION 'intent plan % violates %', NEW.id, broken
            USING ERRCODE = 'check_violation', CONSTRAINT = broken, TABLE = 'agents_intentplan';
    END IF;
    RETURN NULL;
END $body$;

CREATE TRIGGER intent_plan_sound AFTER INSERT OR UPDATE OF state, digest, approved_digest ON agents_intentplan
    FOR EACH ROW EXECUTE FUNCTION agents_intentplan_sound();

CREATE FUNCTION agents_leveldocument_immutable() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'level document % is immutable: a change is a new version', OLD.id
        USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE TRIGGER level_document_immutable BEFORE UPDATE ON agents_leveldocument
    FOR EACH ROW WHEN (
        OLD.document IS DISTINCT FROM NEW.document OR OLD.digest IS DISTINCT FROM NEW.digest
        OR OLD.goal_id IS DISTINCT FROM NEW.goal_id OR OLD.kind IS DISTINCT FROM NEW.kind
        OR OLD.number IS DISTINCT FROM NEW.number OR OLD.by_id IS DISTINCT FROM NEW.by_id
        OR OLD.state <> 'awaiting_review')
    EXECUTE FUNCTION agents_leveldocument_immutable();

CREATE FUNCTION agents_handcommand_immutable() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'command % is immutable: what was typed, by whom and for which files', OLD.id
        USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE TRIGGER hand_command_immutable BEFORE UPDATE ON agents_handcommand
    FOR EACH ROW WHEN (
        OLD.workspace_id IS DISTINCT FROM NEW.workspace_id OR OLD.goal_id IS DISTINCT FROM NEW.goal_id
        OR OLD.by_id IS DISTINCT FROM NEW.by_id OR OLD.text IS DISTINCT FROM NEW.text
        OR OLD.command IS DISTINCT FROM NEW.command OR OLD.params IS DISTINCT FROM NEW.params
        OR OLD.limits IS DISTINCT FROM NEW.limits OR OLD.session_before IS DISTINCT FROM NEW.session_before
        OR OLD.snapshot_before IS DISTINCT FROM NEW.snapshot_before
        OR OLD.autonomous_once IS DISTINCT FROM NEW.autonomous_once OR OLD.created_at IS DISTINCT FROM NEW.created_at
        OR OLD.state IN ('done', 'lost', 'cancelled'))
    EXECUTE FUNCTION agents_handcommand_immutable();

-- ---- Sums that pages read -----------------------------------------------------------------------------------------------

-- Twelve digits for each bucket (agents.bdi.planning.latency.DIGITS): the server adds a day's histogram up as one number.
CREATE FUNCTION agents_packed(buckets smallint[], counts integer[]) RETURNS numeric
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (SELECT coalesce(sum(one.number * ('1e' || (12 * one.bucket)::text)::numeric), 0)
            FROM unnest(buckets, counts) AS one (bucket, number));

ALTER TABLE agents_mindday ADD COLUMN packed numeric GENERATED ALWAYS AS (agents_packed(buckets, counts)) STORED;
ALTER TABLE agents_daysofar ADD COLUMN packed numeric GENERATED ALWAYS AS (agents_packed(buckets, counts)) STORED;

-- A failure is settled, overtaken or classed otherwise long after its day is over, so its sums follow each change.
CREATE FUNCTION agents_recovery_came(failure agents_failurerecord) RETURNS text
    LANGUAGE sql STABLE
    AS $$
SELECT CASE
    -- Taken over by the same way again: the later choice is the case.
    WHEN failure.overtaken_by = concat_ws(':', failure.strategy, nullif(failure.variant, '')) THEN NULL
    WHEN failure.settled_at IS NULL THEN 'open'
    WHEN failure.succeeded AND failure.overtaken_by = '' THEN 'helped'
    WHEN NOT failure.succeeded OR failure.overtaken_by <> '' THEN 'not_helped'
END $$;

CREATE FUNCTION agents_recovery_count(failure agents_failurerecord, times integer) RETURNS void
    LANGUAGE sql
    AS $$
    INSERT INTO agents_recoveryday (day, agent_id, tool, failure_class, strategy, came, cases)
    SELECT (failure.at AT TIME ZONE 'UTC')::date,
           coalesce(failure.agent_id, (SELECT goal.agent_id FROM agents_goal goal WHERE goal.id = failure.goal_id)),
           failure.tool, failure.failure_class,
           concat_ws(':', failure.strategy, nullif(failure.variant, '')), came, times
    FROM agents_recovery_came(failure) AS came WHERE came IS NOT NULL
$$;

CREATE FUNCTION agents_recovery_counted() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        PERFORM agents_recovery_count(OLD, -1);
    END IF;
    IF TG_OP <> 'DELETE' THEN
        PERFORM agents_recovery_count(NEW, 1);
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER recovery_counted AFTER INSERT OR DELETE ON agents_failurerecord
    FOR EACH ROW EXECUTE FUNCTION agents_recovery_counted();
CREATE TRIGGER recovery_counted_anew
    AFTER UPDATE OF at, agent_id, goal_id, tool, failure_class, strategy, variant, overtaken_by, succeeded, settled_at
    ON agents_failurerecord
    FOR EACH ROW WHEN (
        OLD.at IS DISTINCT FROM NEW.at OR OLD.agent_id IS DISTINCT FROM NEW.agent_id
        OR OLD.goal_id IS DISTINCT FROM NEW.goal_id OR OLD.tool IS DISTINCT FROM NEW.tool
        OR OLD.failure_class IS DISTINCT FROM NEW.failure_class OR OLD.strategy IS DISTINCT FROM NEW.strategy
        OR OLD.variant IS DISTINCT FROM NEW.variant OR OLD.overtaken_by IS DISTINCT FROM NEW.overtaken_by
        OR OLD.succeeded IS DISTINCT FROM NEW.succeeded OR OLD.settled_at IS DISTINCT FROM NEW.settled_at)
    EXECUTE FUNCTION agents_recovery_counted();
