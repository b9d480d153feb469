import API
import Apps
import Domain
import Engine
import Files
import FoundationEssentials
import Postgres
import Secrets
import Store
import Synchronization
import TestDatabase

/// The routes of the server over a database with a row in every table, and a caller who may do everything in it.
struct ExtremeMatrix: Sendable {
  /// An operation of the document.
  struct Target: Sendable {
    let method: APIMethod
    let path: String
    let operation: JSONObject

    /// The parameters that are given in a place.
    func parameters(in place: String) -> [(name: String, isRequired: Bool, schema: JSONObject)] {
      (operation["parameters"]?.array ?? []).compactMap(\.object).filter { $0["in"]?.string == place }.map {
        ($0["name"]?.string ?? "", $0["required"]?.bool ?? false, $0["schema"]?.object ?? [:])
      }
    }

    /// The media type of the body, and its schema if it is JSON.
    var body: (type: String, schema: JSONObject)? {
      operation["requestBody"]?.object?["content"]?.object?.members.first.map {
        ($0.key, $0.value.object?["schema"]?.object ?? [:])
      }
    }
  }

  /// The owner of company A, with every kind of rights that a request can have.
  private struct Gate: CallerGate {
    let company: CompanyRow

    func caller(of request: APIRequest) async throws -> Caller? {
      let user = TwoCompanies.ownerOfA
      let acting = ActingContext(company: company, actor: .member(user), user: user, requestID: request.id)
      return Caller(kind: .browser, acting: acting, user: user, session: UUID(), isStrong: true)
    }
  }

  let targets: [Target]
  let document: JSONObject
  private let api: API
  private let companies: TwoCompanies
  private let idOfType: [String: String]
  private let reports: Reports

  /// The errors that were not the client's, for messages.
  private final class Reports: Sendable {
    private let last = Mutex("")
    func note(_ error: any Error) { last.withLock { $0 = "\(error)" } }
    var text: String { last.withLock { $0 } }
  }

  static func open() async throws -> ExtremeMatrix {
    let companies = try await TwoCompanies.make()
    let keys = Keys.random()
    let blobs = DiskStore(path: FileManager.default.temporaryDirectory.appending(path: "\(UUID())").path)
    let services = Services(database: companies.app, rules: CompiledApps.rules, blobs: blobs) { keys }
    let company = try await companies.superuser.transaction(TransactionOptions(readOnly: true)) { tx in
      try CompanyStore.find(id: TwoCompanies.a, tx)
    }
    guard let company else { throw DomainError(.notFound, "the first company is missing") }
    let routes = try await ServedRoutes.all(services)
    let types = try await services.catalogue.refresh(services.database).0.types
    var idOfType: [String: String] = [:]
    for type in types {
      let id = try await companies.superuser.rows(
        "select t.id from \(type.table) t where t.company_id = \(TwoCompanies.a) limit 1",
        UUID.self
      ).first
      idOfType[type.name] = id?.uuidString.lowercased()
    }
    let document = Document(routes, types: types).json
    let reports = Reports()
    let targets = (document["paths"]?.object ?? [:]).members.flatMap { path, item in
      (item.object ?? [:]).members.compactMap { name, operation -> Target? in
        guard let method = APIMethod(rawValue: name.uppercased()), let operation = operation.object else {
          return nil
        }
        return Target(method: method, path: path, operation: operation)
      }
    }
    return ExtremeMatrix(
      // What removes the caller's company or account comes last.
      targets: targets.filter { $0.method != .delete } + targets.filter { $0.method == .delete },
      document: document,
      api: API(routes: routes, gate: Gate(company: company)) { error, _ in reports.note(error) },
      companies: companies,
      idOfType: idOfType,
      reports: reports
    )
  }

  /// Returns the value of a placeholder that names something which exists, if possible.
  func sample(_ placeholder: String, of target: Target) -> String {
    let words = target.path.split(separator: "/")
    if placeholder == "id", words.count > 2, let id = idOfType["\(words[1]).\(words[2])"] { return id }
    let number =
      switch placeholder {
      case "invite": 2
      case "token": 3
      case "device", "file": 4
      case "upload", "job": 5
      case "session", "identity": 8
      default: 1
      }
    return placeholder == "no" ? "1" : TwoCompanies.id("a", number).uuidString.lowercased()
  }

  /// Sends a request to a target.
  ///
  /// - Returns: the status, with the error behind it for one that is the server's fault.
  func send(
    _ target: Target,
    path: [String: String] = [:],
    query: [(name: String, value: String)] = [],
    headers: [(name: String, value: String)] = [],
    body: APIBody? = nil
  ) async -> (status: Int, reason: String) {
    let segments = target.path.split(separator: "/").map { segment -> String in
      guard segment.hasPrefix("{") else { return String(segment) }
      let name = String(segment.dropFirst().dropLast())
      return (path[name] ?? sample(name, of: target)).percentEncoded
    }
    let request = APIRequest(
      method: target.method,
      path: "/" + segments.joined(separator: "/"),
      query: target.parameters(in: "query").filter { parameter in
        parameter.isRequired && !query.contains { $0.name == parameter.name }
      }.map { (name: $0.name, value: "1") } + query,
      headers: APIHeaders(
        [("content-type", target.body?.type ?? "application/json"), ("sec-fetch-site", "same-origin")]
          + headers
      ),
      body: body ?? self.body(target),
      id: UUID(),
      address: "192.0.2.1",
      origin: "https://fettle.example"
    )
    guard case .route(let route, let parameters) = api.table.find(target.method, request.path) else {
      return (404, "")
    }
    let answer = await api.answer(request, of: route, parameters: parameters)
    return (answer.status, answer.status < 500 ? "" : reports.text)
  }

  /// Returns a body that fits the schema of a target.
  func body(_ target: Target) -> APIBody {
    guard let (type, schema) = target.body else { return .none }
    guard type == "application/json" else { return .bytes(Array("x=1".utf8)) }
    return .bytes(Array(json(schema).text.utf8))
  }

  /// Returns a value that fits a schema.
  func json(_ schema: JSONObject) -> JSONValue {
    SchemaSample(root: document, id: idOfType["maintenance.machine"] ?? UUID().uuidString).value(schema)
  }

  /// True if the process serves requests that read the database.
  func isServing() async throws -> Bool {
    guard let about = targets.first(where: { $0.method == .get && $0.path.hasPrefix("/v1/about") }) else {
      return false
    }
    let one = try await companies.app.value("select 1", as: Int32.self)
    return await send(about).status < 500 && one == 1
  }
}
