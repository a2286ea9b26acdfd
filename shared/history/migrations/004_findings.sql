-- For people: what was found, with the text itself while content is kept. A row for each find of a policy that is flagged.
--
-- `explained` says where each find is in the text of the content, in UTF-16 units (`stored-evidence.ts`): from `start` to `end`, or where its
-- last list says. Of a session, and of a field that is a string, the text is the content. Of JSON it is its names, strings and numbers,
-- joined by newlines. As UTF-16 a unit is two bytes: so a find is cut out of it without counting characters.
--
-- Finds are few, contents are not. So finds are the side of the join that is in memory. The engine may exchange the sides of a join where
-- it can tell how many rows both have; of rows that are multiplied by their policies it cannot. Measured over 93,000 texts of 3 KB, one in 14
-- flagged: less than 100 MB, and more than 400 with contents in memory. Keys are compared column by column, so a filter by team, scope and
-- time holds for both sides. Both are queries of their own: where tables are spread over shards, the host that is asked joins the rows.
--
-- Contents are read without FINAL, which would merge them: the version is a part of the key, and ANY takes a row that was stored again once.
CREATE VIEW IF NOT EXISTS {{database}}.findings {{on_cluster}} AS
SELECT
    ts, team, scope, kind, type, field, role, name, id, request_id, run_id, event_id, external_session_id, user_id, user_email, tags,
    config, policy_id,
    JSONExtractString(toString(policies), toString(policy_id), 'name') AS policy_name,
    severities[indexOf(violated, policy_id)] AS severity,
    JSONExtractString(json, 'detector') AS detector,
    JSONExtractString(json, 'view') AS view,
    JSONExtractString(json, 'source') AS source,
    JSONHas(json, 'path') = 1 AS in_json,
    if(in_json, JSONExtractString(json, 'path'), NULL) AS path,
    if(JSONHas(json, 'index'), JSONExtractUInt(json, 'index'), NULL) AS index,
    JSONExtractUInt(json, 'start') AS start,
    JSONExtractUInt(json, 'end') AS end,
    if(JSONHas(json, 'score'), JSONExtractFloat(json, 'score'), 1) AS score,
    if(
        source = 'text' AND first < last AND 2 * last <= length(units),
        substringUTF8(convertCharset(substring(units, 2 * first + 1, 2 * (last - first)), 'UTF-16BE', 'UTF-8'), 1, 1024),
        NULL
    ) AS matched
FROM
(
    SELECT
        * EXCEPT (finds),
        find.1 AS json,
        arrayFirstIndex((value, nth) -> nth % 3 = 1 AND value = find.2, elsewhere, arrayEnumerate(elsewhere)) AS listed,
        if(listed = 0, JSONExtractUInt(json, 'start'), elsewhere[listed + 1]) AS first,
        if(listed = 0, JSONExtractUInt(json, 'end'), elsewhere[listed + 2]) AS last
    FROM
    (
        SELECT
            f.*,
            f.kind != 'session' AND position(f.explained, '"path":') > 0 AS is_json,
            if(is_json, extractAll(c.content, '"(?:[^"\\\\]|\\\\.)*"|-?[0-9][-+.0-9eE]*'), []) AS tokens,
            arrayMap(token -> if(startsWith(token, '"'), JSONExtractString(token), token), tokens) AS texts,
            -- Half a surrogate pair cannot be read: offsets behind it would lead elsewhere.
            arrayExists((token, text) -> text = '' AND token != '""', tokens, texts) AS is_broken,
            convertCharset(
                multiIf(is_broken, '', is_json, arrayStringConcat(texts, '\n'), toString(c.content)), 'UTF-8', 'UTF-16BE'
            ) AS units
        FROM
        (
            SELECT team AS of_team, scope AS of_scope, ts AS of_ts, id AS of_id, version AS of_version, content
            FROM {{database}}.contents
        ) AS c
        ANY RIGHT JOIN
        (
            SELECT
                ts, team, scope, kind, type, field, role, name, id, request_id, version, run_id, event_id, external_session_id,
                user_id, user_email, tags, config, policies, explained,
                violation.id AS violated,
                violation.severity AS severities,
                JSONExtract(assumeNotNull(explained), 4, 'Array(UInt32)') AS elsewhere,
                JSONExtractKeysAndValuesRaw(assumeNotNull(explained), 2) AS all,
                arrayCumSum(arrayMap(one -> length(JSONExtractArrayRaw(one.2)), all)) AS counted,
                toUUID(explanation.1) AS policy_id,
                JSONExtractArrayRaw(explanation.2) AS listed_finds,
                -- Each with its number among all finds of the item, from 0.
                arrayMap(
                    (find, nth) -> (find, until - length(listed_finds) + nth - 1), listed_finds, arrayEnumerate(listed_finds)
                ) AS finds
            FROM {{database}}.results
            ARRAY JOIN all AS explanation, counted AS until
            WHERE position(explained, '{') > 0
        ) AS f ON of_team = f.team AND of_scope = f.scope AND of_ts = f.ts AND of_id = f.id
            AND of_version = f.version
    )
    ARRAY JOIN finds AS find
);
