import API
import Apps
import Console
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// What PostgreSQL answers to the conditions of the bundled apps, and what the rules decide from it, as vectors for the
/// scripts of browsers, which decide without a connection.
@Suite(.timeLimit(.minutes(60))) struct RuleVectorTests {
  private static let apps: Set = ["inventory", "macros", "maintenance", "solar", "trips"]
  private static let (me, other) = (
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 1)),
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 2))
  )

  /// Conditions beside those of the apps, in the notation that a small evaluator reads.
  private static let further = [
    "$.a == 1", "$.a != 1", "$.a < 1", "$.a > 1", "$.a == null", "$.a != null", "$.a == $.b", "$.a < $.b",
    "$.a + $.b == 2", "$.a + $.b + 1 > 2", "$.a == 1 && $.b == 1", "$.a != null && $.b > 0",
    "$.t == \"x\"", "$.t != \"x\"", "$.t == \"x\" && $.f == true", "$.f == false", "$.f != true",
    "$.t == null",
    "$.t == $.a", "$.f == 1", "$.t < \"y\"",
  ]

  /// Conditions that a small evaluator does not read: it must not guess.
  private static let foreign = [
    "$.a ? (@ > 1) > 0", "exists($.a)", "$.t like_regex \"^x\"", "$.t starts with \"x\"", "!($.a == 1)",
    "$.a == 1 || $.b == 1", "$.list[*] == 1", "$.a.type() == \"number\"", "($.a == 1) is unknown",
    "$.a * 2 == 2",
    "$.a - 1 == 0", "-$.a == 1", "$.a >= 1", "$.a <= 1",
  ]

  private static func answers(_ rows: [(path: String, row: JSONObject)], _ database: Database) async throws
    -> [Bool?]
  {
    try await database.rows(
      """
      select jsonb_path_match(x.doc::jsonb, x.path::jsonpath, '{}', true)
      from unnest(\(rows.map(\.path)), \(rows.map { JSONValue.object($0.row).text })) with ordinality x (path, doc, n)
      order by x.n
      """,
      Bool?.self
    )
  }

  /// Values of a column for a condition: those that it names, others of its kind, null, and none at all.
  private static func values(_ column: String, _ kind: ColumnKind?, in path: String) -> [JSONValue?] {
    let texts = path.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 }.map { JSONValue.string(String($0.element)) }
    switch kind {
    case .integer, .numeric, .real: return [0, 1, 2, -1, try? JSONValue(parsing: "0.50"), .null, nil]
    case .boolean: return [true, false, .null, nil]
    default: return texts + ["other", "", .null, nil]
    }
  }

  private static func rows(_ path: String, _ kind: (String) -> ColumnKind?) -> [JSONObject] {
    var rows: [JSONObject] = [[:]]
    for column in GuardPath(path).columns {
      rows = rows.flatMap { row in
        values(column, kind(column), in: path).map { value in
          var row = row
          if let value { row[column] = value }
          return row
        }
      }
    }
    return rows
  }

  @Test func `the answers to conditions are the recorded ones`() async throws {
    let shop = try await Workshop.open()
    var asked: [(path: String, row: JSONObject)] = []
    for type in shop.records.catalogue.types where Self.apps.contains(type.app) {
      let people = type.workflow?.transitions.filter { $0.by == .person } ?? []
      let paths = people.flatMap { $0.guards.map(\.path) } + type.rules.editRules.compactMap(\.when)
      for path in paths where !asked.contains(where: { $0.path == path }) {
        asked += Self.rows(path) { name in type.viewColumns.first { $0.name == name }?.kind }
          .map { (path, $0) }
      }
    }
    #expect(asked.count > 30)
    let sample: [String: ColumnKind] = ["a": .real, "b": .real, "t": .text, "f": .boolean]
    for path in Self.further { asked += Self.rows(path) { sample[$0] }.map { (path, $0) } }
    let answers = try await Self.answers(asked, shop.engine.superuser)
    let vectors = zip(asked, answers).map { asked, answer -> JSONValue in
      [
        "when": .string(asked.path), "row": .object(asked.row), "is": answer.map { .bool($0) } ?? .null,
      ]
    }
    // PostgreSQL accepts the others too.
    _ = try await Self.answers(Self.foreign.map { ($0, ["a": 1, "t": "x"]) }, shop.engine.superuser)
    try VectorFile.require(
      "conditions.json",
      ["conditions": vectors, "foreign": Self.foreign.map { .string($0) }]
    )
  }

  @Test func `the decisions about records are the recorded ones`() async throws {
    let api = try await APIFixture.open { services in
      TypeRoutes(try await Records.open(services), names: Console.typeNames).routes
    }
    let described = try await api.get("/v1/types?lang=en", as: api.member("owner"))
    var (types, cases): ([JSONValue], [JSONValue]) = ([], [])
    for type in api.shop.records.catalogue.types where Self.apps.contains(type.app) {
      let found = described.json["types"]?.array?.first { $0.object?["name"]?.string == type.name }
      let description = try #require(found)
      let decisions = try await Self.decisions(type, api.shop.engine.superuser)
      guard !decisions.isEmpty else { continue }
      types.append(Self.bare(description))
      cases += decisions
    }
    #expect(types.count > 10 && cases.count > 200)
    try VectorFile.require("rules.json", ["types": types, "cases": cases])
  }

  /// A description without its words, which change more often than rules.
  private static func bare(_ value: JSONValue) -> JSONValue {
    switch value {
    case .object(let object):
      let words: Set = [
        "label", "plural", "new", "hint", "message", "choices", "color", "list", "sorts", "search",
      ]
      return .object(
        JSONObject(object.members.filter { !words.contains($0.key) }.map { ($0.key, bare($0.value)) })
      )
    case .array(let values): return .array(values.map(bare))
    default: return value
    }
  }

  private static func decisions(_ type: RecordType, _ database: Database) async throws -> [JSONValue] {
    let guards = type.workflow?.transitions.flatMap { $0.guards.map(\.path) } ?? []
    let conditions = type.rules.editRules.map { $0.when ?? "true" }
    let roles: [(String, PermissionSet)] = [
      ("user", granted(.user, type)), ("admin", granted(.admin, type)), ("viewer", granted(.viewer, type)),
      (
        "own",
        PermissionSet(
          type.definition.permissions(with: type.workflow).filter { $0.isOwn || $0.verb == "create" }
        )
      ),
    ]
    let states = type.workflow?.states ?? []
    var documents: [JSONObject] = []
    for (index, state) in (states.isEmpty ? [nil] : states.map(Optional.some)).enumerated() {
      for owner in [me, other] {
        var document: JSONObject = [
          "id": .string("r\(index)"), "version": 3, "created_by": .string(owner.text),
        ]
        for column in type.definition.ownerFields { document[column] = .string(other.text) }
        if let state {
          document["status"] = .string(state.name)
          document["status_category"] = .string(state.category.rawValue)
        }
        // One record that satisfies the conditions about other columns, and one that does not.
        for isTrue in [true, false] {
          var record = document
          for path in guards + conditions {
            for column in GuardPath(path).columns where record[column] == nil {
              record[column] =
                values(column, type.viewColumns.first { $0.name == column }?.kind, in: path)[
                  isTrue ? 0 : 1
                ] ?? .null
            }
          }
          if !documents.contains(record) { documents.append(record) }
        }
      }
    }
    let asked = documents.flatMap { document in (guards + conditions).map { (path: $0, row: document) } }
    let answers = asked.isEmpty ? [] : try await Self.answers(asked, database)
    var cases: [JSONValue] = []
    for (place, document) in documents.enumerated() {
      let width = guards.count + conditions.count
      let own = Array(answers[(place * width)..<((place + 1) * width)])
      for (role, permissions) in roles {
        let rights = ActorRights(actor: .member(me), company: .active, permissions: permissions)
        cases.append(.object(decision(type, document, own, role, rights)))
      }
    }
    return cases
  }

  private static func granted(_ role: BuiltInRole, _ type: RecordType) -> PermissionSet {
    let rules = type.definition.grants.filter { $0.role == role }.flatMap(\.rules)
    return PermissionSet(rules.flatMap { $0.permissions(of: type.definition, workflow: type.workflow) })
  }

  private static func decision(
    _ type: RecordType,
    _ document: JSONObject,
    _ answers: [Bool?],
    _ role: String,
    _ rights: ActorRights
  ) -> JSONObject {
    var (rest, guards): (ArraySlice<Bool?>, [String: [Bool?]]) = (answers[...], [:])
    for transition in type.workflow?.transitions ?? [] {
      guards[transition.name] = Array(rest.prefix(transition.guards.count))
      rest = rest.dropFirst(transition.guards.count)
    }
    let conditions = Array(rest)
    let snapshot = RecordSnapshot(
      status: document["status"]?.string ?? "",
      version: 3,
      owners: (["created_by"] + type.definition.ownerFields).compactMap {
        document[$0]?.string.flatMap(UUID.init(text:))
      },
      fields: document,
      guards: guards
    )
    let transitions = type.workflow.map { Kernel.available(on: snapshot, by: rights, under: $0).map(\.name) }
    let fields = type.definition.editable.filter { column in
      let patch = RecordPatch([column: .null])
      return (try? type.rules.requireEdit(patch, of: snapshot, by: rights, conditions: conditions)) != nil
    }
    let deletes = (try? type.rules.requireDelete(snapshot, by: rights, conditions: conditions)) != nil
    let creates = (try? type.rules.requireCreate([:], by: rights)) != nil
    return [
      "type": .string(type.name), "role": .string(role), "me": .string(me.text),
      "permissions": .strings(rights.permissions.granted.map(\.name).sorted()), "record": .object(document),
      "transitions": .strings(transitions ?? []), "fields": .strings(fields), "delete": .bool(deletes),
      "create": .bool(creates),
    ]
  }
}
