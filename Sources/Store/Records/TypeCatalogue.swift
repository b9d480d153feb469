internal import Domain
package import Postgres

/// The record types that are installed in a database.
package struct TypeCatalogue: Sendable {
  /// The types, sorted by name.
  package let types: [RecordType]
  /// The number of changes of the catalogue. If ``numberQuery`` returns another number, an app or workflow was
  /// installed, upgraded or uninstalled since.
  package let number: Int64
  /// The lowest schema version of clients by app; an app that is not named supports all.
  package let lowestClients: [String: Int]
  /// The numbers of changes of the catalogue at which types changed what readers get of a record, by type. A device
  /// that read under a lower number has to read all records again.
  package let resends: [String: Int64]
  /// The records that show something of others.
  package let dependants: FeedDependants
  /// The permissions of the built-in roles, which change with the number alone; see ``AccessTicket``.
  let grants: [String: [String]]

  /// The query for the number, in one row.
  package static let numberQuery: SQL = "select i.catalogue from core.installation i"

  /// The statement that counts a change of the installed apps or workflows.
  static let countChange: SQL = "update core.installation set catalogue = catalogue + 1"

  /// Returns the type with a name.
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

  /// A catalogue without types.
  static let empty = TypeCatalogue(types: [], number: 0)

  package init(
    types: [RecordType],
    number: Int64,
    lowestClients: [String: Int] = [:],
    resends: [String: Int64] = [:],
    dependants: FeedDependants = .none,
    grants: [String: [String]] = [:]
  ) {
    self.dependants = dependants
    self.grants = grants
    self.types = types
    self.number = number
    self.lowestClients = lowestClients
    self.resends = resends
  }

  /// Reads the installed types in one round trip.
  package static func load(_ tx: Transaction) throws -> TypeCatalogue {
    let reading = try tx.pipeline { pipeline in Reading(&pipeline) }
    return try reading.catalogue()
  }

  /// Returns the statement that reads the columns of a table or view called `schema.name`.
  static func columnQuery(_ relation: String) -> SQL {
    let parts = relation.split(separator: ".").map(String.init)
    return Column.query(schema: parts.first ?? "", relation: parts.last ?? "")
  }

  /// The statements that read the catalogue, queued in a pipeline that may contain other statements.
  ///
  /// Each type gets the first version of its workflow, which a company follows until it chooses another.
  package struct Reading {
    private let number: Ticket<Int64>
    private let types: Ticket<(JSON, JSON?, JSON?, String?, JSON?)>
    private let columns: Ticket<RelationColumn>
    private let clients: Ticket<(String, Int)>
    private let resends: Ticket<(String, Int64)>
    private let readings: Ticket<FeedDependants.Reading>
    private let grants: Ticket<(String, [String])>

    /// Queues the statements.
    package init(_ pipeline: inout Pipeline) {
      // Queued first, so that the next comparison of numbers detects a change made in between.
      number = pipeline.value(numberQuery, as: Int64.self)
      types = pipeline.rows(
        """
        select distinct on (t.name) t.definition, w.body, a.manifest -> 'messages', a.manifest ->> 'title',
          a.manifest -> 'words'
        from core.record_type t
        join core.app a on a.name = t.app
        left join core.workflow_definition w on w.record_type = t.name
        order by t.name, w.version
        """,
        JSON.self,
        JSON?.self,
        JSON?.self,
        String?.self,
        JSON?.self
      )
      columns = pipeline.rows(RelationColumn.query, as: RelationColumn.self)
      clients = pipeline.rows(
        """
        select a.name, (a.manifest ->> 'min_client')::int from core.app a
        where (a.manifest ->> 'min_client')::int > 1
        """,
        String.self,
        Int.self
      )
      resends = pipeline.rows(
        "select t.name, t.resend from core.record_type t where t.resend > 0",
        String.self,
        Int64.self
      )
      readings = pipeline.rows(FeedDependants.Reading.query, as: FeedDependants.Reading.self)
      grants = pipeline.rows(
        "select g.role, array_agg(g.permission) from core.builtin_grant g group by g.role",
        String.self,
        [String].self
      )
    }

    /// Returns the catalogue, after the pipeline has returned.
    package func catalogue() throws -> TypeCatalogue {
      var relations: [String: [Column]] = [:]
      for column in try columns.all { relations[column.relation, default: []].append(column.column) }
      let types = try types.all.map { definition, workflow, messages, title, words in
        let definition = try RecordTypeDefinition(
          name: nil,
          from: JSONValueDecoder(definition.value(), at: [])
        )
        return RecordType(
          definition: definition,
          workflow: try workflow?.decoded(as: WorkflowDefinition.self),
          columns: relations[definition.table] ?? [],
          viewColumns: relations[definition.view] ?? [],
          messages: try (messages?.value().object ?? [:]).members.compactMap { name, text in
            text.string.map { GuardMessage(name: name, text: $0) }
          },
          appTitle: title ?? "",
          words: try words?.decoded(as: ManifestWords.self) ?? ManifestWords()
        )
      }
      return TypeCatalogue(
        types: types,
        number: try number.first ?? 0,
        lowestClients: Dictionary(uniqueKeysWithValues: try clients.all),
        resends: Dictionary(uniqueKeysWithValues: try resends.all),
        dependants: FeedDependants(types, try readings.all),
        grants: Dictionary(uniqueKeysWithValues: try grants.all)
      )
    }
  }
}

/// A column of a record table or view, with the name of that relation.
private struct RelationColumn: RowDecodable, Sendable {
  let column: Column
  /// `schema.name`.
  let relation: String

  init(row: inout RowReader) throws(PostgresError) {
    column = try Column(row: &row)
    relation = try row.next()
  }

  static let query: SQL = """
    select a.attname, format_type(a.atttypid, a.atttypmod), not a.attnotnull, a.atthasdef,
      a.attgenerated <> '', col_description(a.attrelid, a.attnum), r.name
    from (
      select t.table_schema || '.' || t.table_name as name, t.table_schema as schema, t.table_name as relation
      from core.record_type t
      union
      select t.view_schema || '.' || t.view_name, t.view_schema, t.view_name
      from core.record_type t
    ) r
    join pg_namespace n on n.nspname = r.schema
    join pg_class c on c.relnamespace = n.oid and c.relname = r.relation
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    order by r.name, a.attnum
    """
}
