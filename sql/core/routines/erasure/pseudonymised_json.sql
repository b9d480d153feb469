-- Returns a JSON value whose texts are changed as core.pseudonymised() does. The names of its members stay. Members with one of
-- the names, or with a name of the engine, get the replacements for ids alone.
--
-- execute: fettle_eraser, fettle_backup
create function core.pseudonymised_json(
  p_value jsonb,
  p_patterns text[],
  p_replacements text[],
  p_ids text[],
  p_new_ids text[],
  p_names text[]
) returns jsonb
  language plpgsql immutable
  set search_path = ''
as $$
begin
  case jsonb_typeof(p_value)
    when 'string' then
      return to_jsonb(core.pseudonymised(p_value #>> '{}', p_patterns, p_replacements, null));
    when 'array' then
      return coalesce(
        (
          select jsonb_agg(
            core.pseudonymised_json(x.value, p_patterns, p_replacements, p_ids, p_new_ids, p_names) order by x.n)
          from jsonb_array_elements(p_value) with ordinality x (value, n)
        ), '[]');
    when 'object' then
      return coalesce(
        (
          select jsonb_object_agg(
            x.key,
            case
              when core.is_engine_name(x.key) or x.key = any (p_names) then
                core.pseudonymised_json(x.value, p_ids, p_new_ids, p_ids, p_new_ids, '{}')
              else core.pseudonymised_json(x.value, p_patterns, p_replacements, p_ids, p_new_ids, p_names)
            end)
          from jsonb_each(p_value) x
        ), '{}');
    else
      return p_value;
  end case;
end
$$;
