package import Domain
package import FoundationEssentials
package import Postgres

/// Predicates that PostgreSQL evaluates on the future state of a record.
extension RecordType {
  /// Evaluates predicates on a record that is about to be created: its fields, converted to the types of its
  /// columns. Columns without a value are null.
  package func ask(_ predicates: [String], ofNew fields: JSONObject) -> SQL {
    """
    select \(answers(predicates, about: "to_jsonb(r)"))
    from jsonb_populate_record(null::\(table), \(JSON(fields))) r
    """
  }

  /// Evaluates predicates on a record as its view shows it, with some fields replaced.
  package func ask(_ predicates: [String], of id: UUID, company: UUID, with fields: JSONObject) -> SQL {
    """
    select \(answers(predicates, about: "d.doc"))
    from (
      select to_jsonb(jsonb_populate_record(v, \(JSON(fields)))) as doc
      from \(view) v
      where v.company_id = \(company) and v.id = \(id)
    ) d
    """
  }
}
