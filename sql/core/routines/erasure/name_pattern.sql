-- Returns the regular expression that finds a person's name, address, handle (@ana) or id in a text in NFC.
--
-- The mode is `sure` for matches that an erasure replaces, `likely` for those that it lists, and `loose` for any text that may
-- contain one. A name is found in any letter case, with the genitive. A name of one word is a common word or a part of
-- another name as often: it begins with a capital letter, and is sure only where no other capitalised word, handle, code or
-- address goes on. Names that go on with a hyphen and a capital letter are those of others.
--
-- execute: fettle_eraser, fettle_backup
create function core.name_pattern(p_text text, p_mode text) returns text
  language plpgsql immutable
  set search_path = ''
as $$
declare
  needle constant text := btrim(regexp_replace(normalize(p_text, nfc), '\s+', ' ', 'g'));
  is_word constant boolean := needle !~ '[ @]';
  letters text;
begin
  select string_agg(
    case
      when x.c = ' ' then '\s+'
      when x.c in ('"', '\') then '["\\]+'
      when x.c !~ '[[:alnum:]]' then '\' || x.c
      when x.n = 1 and is_word and x.c <> lower(x.c) then x.c
      when lower(x.c) <> upper(x.c) and length(lower(x.c) || upper(x.c)) = 2 then '[' || lower(x.c) || upper(x.c) || ']'
      else x.c
    end,
    '' order by x.n)
  into letters
  from regexp_split_to_table(needle, '') with ordinality x (c, n);
  if needle ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    return replace(letters, '\-', '-?');
  elsif p_mode = 'loose' then
    return letters;
  elsif needle ~ '@' then
    return '(?<![[:alnum:]_]|[[:alnum:]_][.+-])' || letters || case
      when needle ~ '^@' then '(?![._+-]*[[:alnum:]])'
      else '(?![[:alnum:]_]|[.-][[:alnum:]])'
    end;
  elsif p_mode = 'likely' then
    return '(?<![[:alnum:]_])' || letters || '(?:[''’:]?[sS])?(?![[:alnum:]_])';
  elsif is_word then
    return '(?<![[:alnum:]_@]|[[:alnum:]_][.+/-]|[[:upper:]][[:alpha:]''’-]*[[:blank:]]+)' || letters
      || '(?:[''’:][sS])?(?![[:alnum:]_@]|[.+/-][[:alnum:]]|[[:blank:]]+[[:upper:]])';
  end if;
  return '(?<![[:alnum:]_])' || letters || '(?:[''’:]?[sS])?(?![[:alnum:]_@]|-[[:upper:]])';
end
$$;
