package import Domain
package import FoundationEssentials
package import Postgres

/// Predicates that PostgreSQL is asked of a record as it is going to be.
extension RecordType {
  /// Asks predicates of a record that is about to be made: its fields as they were given, converted as its columns
  /// have them. A column that was not given is null.
  package func ask(_ predicates: [String], ofNew fields: JSONObject) -> SQL {
    """
    select array(
      select jsonb_path_match(to_jsonb(r), g.path::jsonpath, '{}', true)
      from unnest(\(predicates)) with ordinality g (path, n)
      order by g.n
    )
    from jsonb_populate_record(null::\(table), \(JSON(fields))) r
    """
  }

  /// Asks predicates of a record as its view shows it, with some fields replaced.
  package func ask(_ predicates: [String], of id: UUID, company: UUID, with fields: JSONObject) -> SQL {
    """
    select array(
      select jsonb_path_match(d.doc, g.path::jsonpath, '{}', true)
      from unnest(\(predicates)) with ordinality g (path, n)
      order by g.n
    )
    from (
      select to_jsonb(jsonb_populate_record(v, \(JSON(fields)))) as doc
      from \(view) v
      where v.company_id = \(company) and v.id = \(id)
    ) d
    """
  }
}
