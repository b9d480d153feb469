-- Returns a text in which each pattern is replaced by the text at its place, in any letter case.
--
-- execute: fettle_eraser
create function core.pseudonymised(p_text text, p_patterns text[], p_replacements text[]) returns text
  language plpgsql immutable
  set search_path = ''
as $$
declare
  changed text := p_text;
begin
  for i in 1 .. cardinality(p_patterns) loop
    changed := regexp_replace(changed, p_patterns[i], p_replacements[i], 'gi');
  end loop;
  return changed;
end
$$;
