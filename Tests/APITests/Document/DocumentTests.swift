import API
import Apps
import Domain
import Engine
import EngineFixtures
import Foundation
import Store
import Testing

/// The OpenAPI document: its references, ids and schemas, and the part that no app changes.
@Suite(.timeLimit(.minutes(60))) struct DocumentTests {
  private static func routes(_ services: Services) async throws -> [Route] {
    let routes = RecordRoutes(services, try await Records.open(services)).routes
    return routes + DocumentRoutes(services, describing: routes).routes
  }

  private static func document() async throws -> Document {
    let services = try await EngineFixture.shared().services
    return try await DocumentCache.document(services, try await routes(services))
  }

  /// All operations: the path, the method and the operation object.
  private static func operations(_ document: Document) -> [(path: String, method: String, json: JSONObject)] {
    (document.json["paths"]?.object?.members ?? []).flatMap { path, item in
      (item.object?.members ?? []).compactMap { method, operation in
        operation.object.map { (path, method, $0) }
      }
    }
  }

  @Test func `every reference of the document resolves`() async throws {
    let document = try await Self.document()
    let validator = SchemaValidator(root: document.json)
    func references(_ value: JSONValue) -> [String] {
      switch value {
      case .object(let object):
        object.members.flatMap { $0.key == "$ref" ? [$0.value.string ?? ""] : references($0.value) }
      case .array(let elements): elements.flatMap(references)
      default: []
      }
    }
    let all = references(.object(document.json))
    #expect(all.count > 1_000)
    for reference in Set(all) { #expect(validator.resolve(reference) != nil, "\(reference)") }
  }

  @Test func `operation ids are unique, and every placeholder is a parameter`() async throws {
    let operations = Self.operations(try await Self.document())
    #expect(operations.count > 100)
    var seen: Set<String> = []
    for operation in operations {
      let id = try #require(operation.json["operationId"]?.string)
      #expect(seen.insert(id).inserted, "\(id) occurs twice")
      let placeholders = operation.path.split(separator: "/").filter { $0.hasPrefix("{") }
        .map { String($0.dropFirst().dropLast()) }
      let parameters = (operation.json["parameters"]?.array ?? []).compactMap(\.object)
      let inPath = parameters.filter { $0["in"] == "path" }.compactMap { $0["name"]?.string }
      #expect(inPath == placeholders, "\(operation.method) \(operation.path)")
      #expect(
        Set(parameters.map { "\($0["in"]?.text ?? "") \($0["name"]?.text ?? "")" }).count == parameters.count
      )
    }
  }

  @Test func `record paths exist for each installed type, without placeholders of the type`() async throws {
    let document = try await Self.document()
    let paths = try #require(document.json["paths"]?.object)
    #expect(paths.keys.allSatisfy { !$0.contains("{app}") && !$0.contains("{type}") })
    for type in try await EngineFixture.shared().services.catalogue.current.types {
      let path = "/v1/" + type.name.split(separator: ".").joined(separator: "/")
      #expect(paths[path]?.object?["get"] != nil, "\(type.name)")
      #expect((paths["\(path)/{id}/do/{transition}"] != nil) == (type.workflow != nil), "\(type.name)")
    }
  }

  @Test func `the schema of a creation has required fields, limits and enumerations`() async throws {
    let document = try await Self.document()
    let schemas = try #require(document.json["components"]?.object?["schemas"]?.object)
    let entry = try #require(schemas["maintenance.entry.create"]?.object)
    #expect(entry["additionalProperties"] == false)
    let required = entry["required"]?.array?.compactMap(\.string) ?? []
    #expect(Set(["machine_id", "category_id", "description"]).isSubset(of: required))
    let properties = try #require(entry["properties"]?.object)
    #expect(properties["status"] == nil)
    #expect(properties["plan_id"] != nil)
    #expect(schemas["maintenance.entry.patch"]?.object?["properties"]?.object?["plan_id"] == nil)
    #expect(properties["description"]?.object?["maxLength"] != nil)
    let plan = schemas["maintenance.pm_plan.create"]?.object?["properties"]?.object
    #expect(plan?["anchor"]?.object?["enum"] == ["completion", "fixed"])
    #expect(
      schemas["maintenance.entry"]?.object?["properties"]?.object?["status"]?.object?["examples"] != nil
    )
  }

  @Test func `error answers follow from admission, body and parameters`() async throws {
    let document = try await Self.document()
    let create = document.json["paths"]?.object?["/v1/maintenance/entry"]?.object?["post"]?.object
    let statuses = create?["responses"]?.object?.keys ?? []
    #expect(
      Set(["201", "400", "401", "403", "409", "413", "415", "422", "429", "500", "503"]).isSubset(
        of: statuses
      )
    )
    #expect(create?["security"] == [["bearer": []], ["session": []]])
    let update = document.json["paths"]?.object?["/v1/maintenance/entry/{id}"]?.object?["patch"]?.object
    #expect(update?["responses"]?.object?["412"] != nil)
    let open = document.json["paths"]?.object?["/v1/openapi.json"]?.object?["get"]?.object
    #expect(open?["security"] == [])
    #expect(open?["responses"]?.object?["401"] == nil)
  }

  @Test func `the document is served with a tag, and 304 for a client that has it`() async throws {
    let api = try await APIFixture.open { try await Self.routes($0) }
    let answer = try await api.get("/v1/openapi.json")
    #expect(answer.status == 200)
    #expect(answer.json["openapi"] == "3.1.0")
    let tag = try #require(answer.headers["etag"])
    for field in [tag, "\"other\", \(tag)", "W/\(tag)", "*"] {
      let again = try await api.get("/v1/openapi.json", headers: [("if-none-match", field)])
      #expect(again.status == 304, "\(field)")
      #expect(again.bytes.isEmpty)
    }
    #expect(try await api.get("/v1/openapi.json", headers: [("if-none-match", "\"other\"")]).status == 200)
  }

  /// The part of the document that no app changes, so that a review shows each change of the API. To record it again,
  /// run the test with FETTLE_RECORD=1.
  @Test func `the core of the document is the recorded one`() async throws {
    let services = try await EngineFixture.shared().services
    let document = Document(try await Self.routes(services))
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "core.json")
    let text = Self.indented(.object(document.json), 0) + "\n"
    if ProcessInfo.processInfo.environment["FETTLE_RECORD"] == "1" { try Data(text.utf8).write(to: file) }
    let recorded = try String(contentsOf: file, encoding: .utf8)
    let difference = zip(text.split(separator: "\n"), recorded.split(separator: "\n")).first { $0 != $1 }
    #expect(
      text == recorded,
      "first different line: \(difference.map { "\($0.0) instead of \($0.1)" } ?? "length")"
    )
  }

  /// JSON with one member or element per line.
  private static func indented(_ value: JSONValue, _ depth: Int) -> String {
    let space = String(repeating: "  ", count: depth + 1)
    let end = String(repeating: "  ", count: depth)
    switch value {
    case .object(let object) where !object.isEmpty:
      let lines = object.members.map {
        "\(space)\(JSONValue.string($0.key).text): \(indented($0.value, depth + 1))"
      }
      return "{\n\(lines.joined(separator: ",\n"))\n\(end)}"
    case .array(let elements) where elements.contains { $0.object != nil || $0.array != nil }:
      return "[\n\(elements.map { space + indented($0, depth + 1) }.joined(separator: ",\n"))\n\(end)]"
    default: return value.text
    }
  }
}
