internal import Domain
package import Postgres

/// The record types installed in a database.
package struct TypeCatalogue: Sendable {
  /// By name, in the order of the names.
  package let types: [RecordType]
  /// Another one than ``stampQuery`` gives: something was installed, upgraded or activated since this was read.
  package let stamp: String

  /// A digest of which apps and workflows there are: one row, whatever their number.
  package static let stampQuery: SQL = """
    select md5(concat(
      (select string_agg(concat_ws('/', a.name, a.version, encode(a.hash, 'hex'), a.installed_at), ',' order by a.name)
       from core.app a),
      (select string_agg(concat_ws('/', w.record_type, w.version, w.is_current), ',' order by w.record_type, w.version)
       from core.workflow_definition w)
    ))
    """

  /// The type of a name.
  ///
  /// - Throws: `unknown_type`, with the closest name as a hint.
  package func type(_ name: String) throws -> RecordType {
    if let type = types.first(where: { $0.name == name }) { return type }
    let closest = Suggestion.closest(to: name, among: types.map(\.name))
    throw DomainError(
      .unknownType,
      "there is no record type \(Quoted(name))",
      hint: closest.map { "did you mean \($0)?" }
    )
  }

  /// Reads what is installed, each workflow in its first version, which is followed by who chose no other; in three
  /// round trips.
  package static func load(_ tx: Transaction) throws -> TypeCatalogue {
    // Before the rest: what changes in between is found to be new at the next look.
    let stamp = try tx.value(stampQuery, as: String.self)
    let rows = try tx.rows(
      """
      select distinct on (t.name) t.definition, w.body
      from core.record_type t
      left join core.workflow_definition w on w.record_type = t.name
      order by t.name, w.version
      """,
      JSON.self,
      JSON?.self
    )
    let definitions = try rows.map { definition, workflow in
      (
        try RecordTypeDefinition(name: nil, from: JSONValueDecoder(definition.value(), at: [])),
        try workflow?.decoded(as: WorkflowDefinition.self)
      )
    }
    let columns = try tx.pipeline { pipeline in
      definitions.map { definition, _ in
        (
          table: pipeline.rows(columnQuery(definition.table), as: Column.self),
          view: pipeline.rows(columnQuery(definition.view), as: Column.self)
        )
      }
    }
    return TypeCatalogue(
      types: try zip(definitions, columns).map { pair, columns in
        RecordType(
          definition: pair.0,
          workflow: pair.1,
          columns: try columns.table.all,
          viewColumns: try columns.view.all
        )
      },
      stamp: stamp
    )
  }

  /// The statement that reads the columns of a table or view called `schema.name`.
  static func columnQuery(_ relation: String) -> SQL {
    let parts = relation.split(separator: ".").map(String.init)
    return Column.query(schema: parts.first ?? "", relation: parts.last ?? "")
  }
}
