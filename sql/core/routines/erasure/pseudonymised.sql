-- Returns a text in which each match of a pattern is replaced by the text at its place; what matches a pattern without a
-- replacement stays, and so do matches inside it. Of matches that begin at one place, the longest counts. A genitive stays.
-- A text that would become longer than the limit gets asterisks instead.
--
-- execute: fettle_eraser, fettle_backup
create function core.pseudonymised(p_text text, p_patterns text[], p_replacements text[], p_limit integer) returns text
  language plpgsql immutable
  set search_path = ''
as $$
declare
  every constant text := array_to_string(p_patterns, '|');
  plain constant text := normalize(p_text, nfc);
  parts text[];
  hits text[];
  ending text;
  changed text;
begin
  if plain is null or every is null or every = '' or plain !~ every then
    return p_text;
  end if;
  parts := regexp_split_to_array(plain, every);
  hits := array(select m[1] from regexp_matches(plain, format('(%s)', every), 'g') m);
  changed := parts[1];
  for i in 1 .. cardinality(hits) loop
    for k in 1 .. cardinality(p_patterns) loop
      continue when hits[i] !~ format('^(?:%s)$', p_patterns[k]);
      ending := substring(hits[i] from '[''’:]?[sS]$');
      if ending is null or left(hits[i], -length(ending)) !~ format('^(?:%s)$', p_patterns[k]) then
        ending := '';
      end if;
      changed := changed
        || coalesce(p_replacements[k] || case when length(ending) = 1 then ':' else '' end || ending, hits[i]);
      exit;
    end loop;
    changed := changed || parts[i + 1];
  end loop;
  if octet_length(changed) > p_limit then
    return core.pseudonymised(
      p_text, p_patterns, array(select case when r.text is not null then '*' end from unnest(p_replacements) r (text)), null);
  end if;
  return changed;
end
$$;
