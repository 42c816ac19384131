-- short lock: a function, which no table waits for
-- Entries of the bus's log are never changed, so the application may remove none. What is old enough goes by this, which
-- decides itself what that is.
CREATE FUNCTION agents_bus_expire(keep_days integer, most integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
-- Let go of up to `most` entries that are so many days old and about no request that is open or ended later; returns how
-- many went.
DECLARE
    oldest timestamptz := clock_timestamp() - make_interval(days => keep_days);
    gone bigint;
BEGIN
    IF keep_days IS NULL OR keep_days < 1 THEN
        RAISE EXCEPTION 'the log of the bus is kept for a day at least';
    END IF;
    DELETE FROM agents_busentry entry USING (
        SELECT old.id FROM agents_busentry old
        LEFT JOIN agents_busrequest request ON request.id = old.request_id
        WHERE old.at < oldest AND (old.request_id IS NULL OR request.ended_at < oldest)
        ORDER BY old.at LIMIT most
    ) AS found WHERE entry.id = found.id;
    GET DIAGNOSTICS gone = ROW_COUNT;
    RETURN gone;
END $$;

REVOKE ALL ON FUNCTION agents_bus_expire(integer, integer) FROM PUBLIC;
