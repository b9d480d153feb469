import API
import Apps
import Domain
import Engine
import Files
import FoundationEssentials
import Postgres
import Secrets
import Store
import TestDatabase

/// The routes of the server over the database of two companies, with a caller for each row of the matrix.
struct RouteMatrix: Sendable {
  /// A route, with the halves of a type's name in place of `{app}` and `{type}`.
  struct Target: Sendable {
    let route: Route
    let type: RecordType?

    /// The names of the placeholders besides those of the type.
    var placeholders: [String] { route.placeholders.filter { type == nil || !["app", "type"].contains($0) } }

    /// The names of the placeholders that name objects.
    var objects: [String] { placeholders.filter { $0 != "transition" } }

    /// The name in messages.
    var name: String { "\(route.method.rawValue) \(route.pattern)\(type.map { " of \($0.name)" } ?? "")" }
  }

  let targets: [Target]
  /// The ids of the rows of company A, by table.
  private let rowsOfA: [(table: String, id: UUID)]
  private let api: API
  private let document: JSONObject

  static func open() async throws -> RouteMatrix {
    let companies = try await TwoCompanies.make()
    let keys = Keys.random()
    // No route of the matrix gets as far as the bytes of a file.
    let blobs = DiskStore(path: FileManager.default.temporaryDirectory.appending(path: "\(UUID())").path)
    let services = Services(database: companies.app, rules: CompiledApps.rules, blobs: blobs) { keys }
    let viewer = UUID()
    let token = UUID()
    try await companies.superuser.transaction(.inside(TwoCompanies.a, mode: .import)) { tx in
      try MemberStore.insertUser(id: viewer, email: "viewer@a.example", name: "Viewer", kind: "person", tx)
      _ = try MemberStore.insert(company: TwoCompanies.a, user: viewer, role: "viewer", invitedBy: nil, tx)
      try TokenStore.insert(
        id: token,
        company: TwoCompanies.a,
        user: TwoCompanies.ownerOfA,
        name: "narrow",
        secretHash: [UInt8](repeating: 7, count: 32),
        scopes: [MatrixCaller.scope],
        expiresAt: nil,
        tx
      )
    }
    let found = try await companies.superuser.transaction(TransactionOptions(readOnly: true)) { tx in
      try [TwoCompanies.a, TwoCompanies.b].compactMap { id in try CompanyStore.find(id: id, tx) }
    }
    let routes = try await ServedRoutes.all(services)
    let types = try await services.catalogue.refresh(services.database).0.types
    return RouteMatrix(
      targets: routes.flatMap { route -> [Target] in
        guard route.placeholders.starts(with: ["app", "type"]) else {
          return [Target(route: route, type: nil)]
        }
        return types.map { Target(route: route, type: $0) }
      },
      rowsOfA: try await rows(companies),
      api: API(routes: routes, gate: MatrixGate(a: found[0], b: found[1], viewer: viewer, token: token)),
      document: Document(routes, types: types, rules: CompiledApps.rules).json
    )
  }

  /// Returns the ids of company A that can stand for the placeholders of a route, in their order.
  ///
  /// Those are all rows; for the first placeholder of a record's route, the records of the type.
  func objectsOfA(_ target: Target) -> [[String]] {
    func ids(_ isWanted: (String) -> Bool) -> [String] {
      rowsOfA.filter { isWanted($0.table) }.map { $0.id.uuidString.lowercased() }
    }
    guard let type = target.type else {
      return ids { _ in true }.map { id in target.objects.map { _ in id } }
    }
    let records = ids { $0 == type.definition.table }
    guard target.objects.count > 1 else { return records.map { [$0] } }
    return records.flatMap { record in ids { $0.hasPrefix("core.") }.map { [record, $0] } }
  }

  /// Sends a request.
  ///
  /// - Parameter values: the values of the placeholders that name objects. The first is also that of every id in the
  ///   body.
  /// - Returns: the status, and the body with `ID` in place of the values and without the request's id.
  func send(
    _ target: Target,
    as caller: MatrixCaller,
    _ values: [String],
    body given: JSONObject? = nil
  ) async -> (status: Int, body: String) {
    var parameters = Dictionary(zip(target.objects, values)) { first, _ in first }
    if target.placeholders.contains("transition") {
      parameters["transition"] = target.type?.workflow?.transitions.first?.name ?? "start"
    }
    let words = target.type?.name.split(separator: ".").map(String.init) ?? []
    if words.count == 2 { (parameters["app"], parameters["type"]) = (words[0], words[1]) }
    let path = target.route.pattern.split(separator: "/").map { part in
      part.hasPrefix("{") ? parameters[String(part.dropFirst().dropLast())] ?? "x" : String(part)
    }
    let request = APIRequest(
      method: target.route.method,
      path: "/" + path.joined(separator: "/"),
      query: query(target),
      headers: [
        "x-matrix": caller.rawValue, "content-type": "application/json", "sec-fetch-site": "same-origin",
      ],
      body: given.map { APIBody.bytes(Array(JSONValue.object($0).text.utf8)) }
        ?? body(target, values.first ?? UUID().uuidString.lowercased()),
      id: UUID(),
      address: "192.0.2.1",
      origin: "https://fettle.example"
    )
    let answer = await api.answer(request, of: target.route, parameters: parameters)
    guard case .bytes(let bytes) = answer.body else { return (answer.status, "") }
    var text = String(decoding: bytes, as: UTF8.self)
    // Only problems have the request's id; a body that is not JSON is compared as it is.
    if answer.status >= 400, var problem = (try? JSONValue(parsing: text))?.object {
      problem["request_id"] = nil
      text = JSONValue.object(problem).text
    }
    for value in values { text = text.replacing(value, with: "ID").replacing(value.uppercased(), with: "ID") }
    return (answer.status, text)
  }

  /// Returns the smallest body that creates a record of a type in company A: the required members, with references to the
  /// records that the company has.
  func creation(of type: RecordType) -> JSONObject {
    let schema: JSONObject = ["$ref": .string("#/components/schemas/\(type.name).create")]
    var body = SchemaSample(root: document, id: UUID().uuidString.lowercased()).value(schema).object ?? [:]
    for reference in type.definition.references where body[reference.column] != nil {
      let table = targets.first { $0.type?.name == reference.target }?.type?.definition.table
      guard let row = rowsOfA.first(where: { $0.table == table }) else { continue }
      body[reference.column] = .string(row.id.uuidString.lowercased())
    }
    return body
  }

  private func query(_ target: Target) -> [(name: String, value: String)] {
    var pairs = target.route.operation.parameters.filter { $0.isRequired && $0.place == .query }
      .map { (name: $0.name, value: $0.name == "do" ? "read" : "x") }
    // A transition of many records requires a condition.
    if target.route.pattern.hasSuffix("{type}/do/{transition}") {
      pairs.append((name: "where", value: "version>0"))
    }
    return pairs
  }

  private func body(_ target: Target, _ id: String) -> APIBody {
    switch target.route.body {
    case .none: return .none
    case .stream: return .bytes(Array("x".utf8))
    case .form: return .bytes(Array("x=1".utf8))
    case .json:
      guard let schema = target.route.operation.request else { return .bytes(Array("{}".utf8)) }
      var json = schema.json(for: .request)
      if let type = target.type, let name = json["$ref"]?.string, name.hasSuffix("/record.create") {
        json = ["$ref": .string("#/components/schemas/\(type.name).create")]
      }
      return .bytes(Array(SchemaSample(root: document, id: id).value(json).text.utf8))
    }
  }

  /// Returns the ids of all rows of company A, in tables with an id.
  private static func rows(_ companies: TwoCompanies) async throws -> [(table: String, id: UUID)] {
    let tables = try await companies.superuser.rows(
      """
      select n.nspname, c.relname
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute i on i.attrelid = c.oid and i.attname = 'id' and i.atttypid = 'uuid'::regtype
      join pg_attribute k on k.attrelid = c.oid and k.attname = 'company_id'
      where c.relkind = 'r' and n.nspname not like 'pg_%'
      order by 1, 2
      """,
      String.self,
      String.self
    )
    var rows = [
      (table: "core.company", id: TwoCompanies.a), (table: "core.app_user", id: TwoCompanies.ownerOfA),
    ]
    for (schema, table) in tables {
      let ids = try await companies.superuser.rows(
        "select t.id from \(identifier: schema, table) t where t.company_id = \(TwoCompanies.a)",
        UUID.self
      )
      rows += ids.map { (table: "\(schema).\(table)", id: $0) }
    }
    return rows
  }
}
