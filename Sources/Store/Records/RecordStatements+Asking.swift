package import Domain
package import FoundationEssentials
package import Postgres

/// Predicates that PostgreSQL evaluates on the future state of a record.
extension RecordType {
  /// Returns the columns that predicates read of a record that is about to be created; nil for all.
  package func columns(readBy predicates: [String]) -> Set<String>? {
    canAnswerInRow(predicates) ? Set(predicates.flatMap { GuardPath($0).columns }) : nil
  }

  /// Evaluates predicates on records that are about to be created: their fields, converted to the types of their
  /// columns. Columns without a value are null. Selects one row for each record, in order.
  ///
  /// - Parameter documents: the fields of the records as JSON, those of ``columns(readBy:)``.
  package func ask(_ predicates: [String], ofEachNew documents: [String]) -> SQL {
    // The whole row as a document costs more than the predicates, and most of them name a column or two.
    let answers =
      canAnswerInRow(predicates)
      ? answersInRow(predicates, of: "r", records: documents.count)
      : answers(predicates, about: "to_jsonb(r)", records: documents.count)
    return """
      select \(answers)
      from unnest(\(documents)) with ordinality x (doc, n)
      cross join lateral jsonb_populate_record(null::\(table), x.doc::jsonb) r
      order by x.n
      """
  }

  /// Evaluates predicates on records with some fields replaced. Selects the number of each record and the answers.
  ///
  /// - Parameter edits: numbers, ids, and the new fields as JSON.
  package func ask(_ predicates: [String], of edits: [(no: Int64, id: UUID, fields: String)], company: UUID)
    -> SQL
  {
    let isInRow = canAnswerInRow(predicates)
    let source = isInRow ? table : view
    let answers =
      isInRow
      ? answersInRow(predicates, of: "r", records: edits.count)
      : answers(predicates, about: "d.doc", records: edits.count)
    let whole: SQL = isInRow ? "" : " cross join lateral (select to_jsonb(r) as doc offset 0) d"
    return """
      select x.no, \(answers)
      from unnest(\(edits.map(\.no)), \(edits.map(\.id)), \(edits.map(\.fields))) x (no, id, fields)
      cross join lateral (
        select v from \(source) v where v.company_id = \(company) and v.id = x.id offset 0
      ) t
      cross join lateral jsonb_populate_record(t.v, x.fields::jsonb) r\(whole)
      """
  }
}
