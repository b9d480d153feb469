import CoreCommands
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Terminal
import TestDatabase
import Testing

/// Hostile texts in every text field of every installed record type.
@Suite struct TextFieldTests {
  /// A field that callers can write, and a record that has it.
  private struct Field {
    let type: RecordType
    let name: String
    let kind: ColumnKind
    let record: UUID
    /// The fields of the record, for types whose field can be written only at creation.
    let whole: JSONObject

    var place: String { "\(type.name).\(name)" }

    func value(_ text: String) -> JSONValue {
      switch kind {
      case .array: [.string(text)]
      case .json: ["text": .string(text)]
      default: .string(text)
      }
    }
  }

  @Test func `a hostile text in a field of a record is stored as it is or refused`() async throws {
    let companies = try await TwoCompanies.make()
    // The rows of the fixture have no history of their own, but for one entry that they do not know.
    try await companies.superuser.execute("delete from core.history_erasure")
    try await companies.superuser.execute("delete from core.history")
    let engine = try await EngineFixture.open(companies.database, poolSize: 2)
    let acting = try await ActingContexts(engine.services).take(
      company: "company-a",
      operatorName: "tests",
      as: "owner"
    )
    let fields = try await Self.fields(engine)
    #expect(fields.count > 30)
    var stored = 0
    var refused = 0
    for field in fields {
      for hostile in HostileText.allCases {
        if try await Self.isStored(hostile.text, in: field, engine, acting) {
          stored += 1
        } else {
          refused += 1
        }
      }
    }
    print(
      "text fields of records: \(fields.count) × \(HostileText.allCases.count) texts; "
        + "\(stored) stored as given, \(refused) refused"
    )
    #expect(stored > refused / 4, "free text is accepted")
    try await Self.showAll(fields, engine, acting)
    await engine.close()
  }

  /// Writes a text and reads it back; false if it was refused with a clear message.
  private static func isStored(
    _ text: String,
    in field: Field,
    _ engine: EngineFixture,
    _ acting: ActingContext
  ) async throws -> Bool {
    let type = field.type
    let id: UUID
    do {
      if type.definition.editable.contains(field.name) {
        id = try await engine.records.update(
          acting,
          type: type.name,
          id: field.record,
          fields: [field.name: field.value(text)]
        ).id
      } else {
        var fields = field.whole
        fields[field.name] = field.value(text)
        id = try await engine.records.create(acting, type: type.name, fields: fields).id
      }
    } catch let error as DomainError {
      #expect(error.code != .internal, "\(field.place): \(error.message.prefix(300))")
      HostileText.expectClear(error.message, field.place)
      return false
    } catch let error as PostgresError {
      Issue.record("\(field.place) \(text.prefix(60).debugDescription): \(error.message.prefix(200))")
      return false
    }
    let column = SQL(trusted: "t.\"\(field.name)\"")
    let given: SQL =
      switch field.kind {
      case .array: "\(column) = array[\(text)::text]"
      case .json: "\(column) ->> 'text' = \(text)"
      default: "\(column) = \(text)"
      }
    let isVerbatim = try await engine.superuser.value(
      "select \(given) from \(type.table) t where t.company_id = \(TwoCompanies.a) and t.id = \(id)",
      as: Bool?.self
    )
    #expect(isVerbatim == true, "\(field.place) holds another text than \(text.prefix(60).debugDescription)")
    return true
  }

  /// Stores one text with everything harmful in all fields that accept it, and renders the records.
  private static func showAll(_ fields: [Field], _ engine: EngineFixture, _ acting: ActingContext)
    async throws
  {
    var shown = 0
    for field in fields where field.type.definition.editable.contains(field.name) {
      _ = try await isStored(HostileText.stored, in: field, engine, acting)
    }
    for name in Set(fields.map(\.type.name)).sorted() {
      let documents = try await engine.records.list(acting, type: name, RecordQuery())
      let table = RecordTable(type: try engine.catalogue.type(name)).list(documents)
      let forPeople = OutputFormat.table.render(table, on: Screen(isTerminal: true, width: 100))
      HostileText.expectHarmless(forPeople, name)
      HostileText.expectHarmless(OutputFormat.json.render(table, on: .pipe), name)
      HostileText.expectHarmless(OutputFormat.yaml.render(table, on: .pipe), name)
      let csv = OutputFormat.csv.render(table, on: .pipe)
      HostileText.expectNoFormula(csv, name)
      if csv.contains("drop table") { shown += 1 }
    }
    #expect(shown > 5, "the text is in the output of the types")
  }

  /// Returns the text fields of all types, each with a record of company A.
  private static func fields(_ engine: EngineFixture) async throws -> [Field] {
    var fields: [Field] = []
    for type in engine.catalogue.types {
      let row = try await engine.superuser.first(
        """
        select t.id, to_jsonb(t)::text from \(type.table) t
        where t.company_id = \(TwoCompanies.a) order by t.id limit 1
        """,
        UUID.self,
        String.self
      )
      let (id, text) = try #require(row, "\(type.name)")
      guard case .object(let document) = try JSONValue(parsing: text) else { continue }
      let whole = JSONObject(
        document.members.filter { type.definition.creatable.contains($0.key) && !$0.value.isNull }
          .map { ($0.key, $0.value) }
      )
      for name in type.definition.creatable {
        guard let kind = type.column(name)?.kind else { continue }
        guard kind == .text || kind == .array(.text) || kind == .json else { continue }
        fields.append(Field(type: type, name: name, kind: kind, record: id, whole: whole))
      }
    }
    return fields
  }
}
