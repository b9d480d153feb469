import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Store
import Testing

/// A way in which people and programs write records.
enum Writer: String, CaseIterable {
  /// A single command or request of the owner.
  case single
  /// A batch, as `POST /v1/batch` sends it.
  case batch
  /// A transition of all records of a filter.
  case filter
  /// A push of a device.
  case device
  /// A file of one line, imported.
  case file
  /// A single command of an operator.
  case byOperator
  /// A provisioning file of an operator, applied.
  case provisioning

  /// The comment of the changes of a provisioning file.
  static let comment = "as the provisioning file says"

  /// True if the owner of the company writes; false for an operator.
  var isOwner: Bool { self != .byOperator && self != .provisioning }

  /// The writer that the others are compared with: a single command of the same actor.
  var measure: Writer { isOwner ? .single : .byOperator }

  /// True if new records have ids that the caller does not choose.
  var choosesIDs: Bool { self == .file || self == .provisioning }

  /// True if a writer has words for an operation, and the type's policy does not answer in its own way.
  func can(_ operation: RecordOperation, _ type: RecordType) -> Bool {
    switch (self, operation) {
    case (.single, _), (.batch, _), (.byOperator, _): true
    case (.filter, .transition): true
    case (.device, .create): type.definition.sync != .serverOnly
    case (.device, .update(_, _, _, let version)):
      version == nil && type.definition.sync != .serverOnly && type.definition.sync != .appendOnly
    case (.device, .delete), (.device, .transition):
      type.definition.sync != .serverOnly && type.definition.sync != .appendOnly
    // A file needs a column.
    case (.file, .create(_, _, let fields)): !fields.isEmpty
    case (.file, .update), (.provisioning, .create): true
    case (.provisioning, .update(_, _, _, let version)): version == nil
    case (.provisioning, .transition(_, _, let request)): request.comment == Self.comment
    case (.filter, _), (.device, _), (.file, _), (.provisioning, _): false
    }
  }
}

extension House {
  /// Performs an operation by a writer.
  ///
  /// - Returns: false if a provisioning file describes the change as another one; nothing is written then.
  func perform(_ operation: RecordOperation, by writer: Writer) async throws -> Bool {
    switch (writer, operation) {
    case (.batch, _): _ = try await records.apply(acting, [operation])
    case (.filter, .transition(let type, let id, let request)):
      var query = RecordQuery()
      query.filters = [("id", id.text)]
      let outcome = try await records.transitionAll(acting, type: type, where: query, request: request)
      if let code = outcome.items.isEmpty ? .notFound : outcome.items[0].code { throw DomainError(code) }
    case (.device, _):
      let (type, id) = operation.subject
      let change = mutation(operation, try await stored(type, id)["version"]?.number?.integer ?? 0)
      // A device whose change was refused waits for a decision about the record.
      if let code = try await sendOnce((type, id, change)) { throw DomainError(code) }
    case (.file, .create(let type, _, let fields)): try await load(type, fields)
    case (.file, .update(let type, let id, let fields, let version)):
      let current = try await stored(type, id)["version"] ?? .integer(1)
      var line: JSONObject = ["id": .id(id), "version": version.map { .integer($0) } ?? current]
      for (name, value) in fields.members { line[name] = value }
      try await load(type, line)
    case (.provisioning, _): return try await provision(operation)
    case (.byOperator, _): try await single(operation, shop.operatorContext)
    default: try await single(operation, acting)
    }
    return true
  }

  private func single(_ operation: RecordOperation, _ acting: ActingContext) async throws {
    switch operation {
    case .create(let type, let id, let fields):
      _ = try await records.create(acting, type: type, id: id, fields: fields)
    case .update(let type, let id, let fields, let version):
      _ = try await records.update(acting, type: type, id: id, fields: fields, version: version)
    case .transition(let type, let id, let request):
      _ = try await records.transition(acting, type: type, id: id, request: request)
    case .delete(let type, let id, _, let comment):
      _ = try await records.delete(acting, type: type, id: id, comment: comment)
    case .restore(let type, let id): _ = try await records.restore(acting, type: type, id: id)
    case .attach: break
    }
  }

  private func mutation(_ operation: RecordOperation, _ version: Int64) -> JSONObject {
    switch operation {
    case .create(_, _, let fields): ["op": "create", "fields": .object(fields)]
    case .update(_, _, let fields, _):
      ["op": "patch", "fields": .object(fields), "base_version": .integer(max(version, 1))]
    case .transition(_, _, let request):
      JSONObject(
        [("op", "transition"), ("transition", .string(request.transition))]
          + (request.comment.map { [("comment", .string($0))] } ?? [])
      )
    case .delete(_, _, _, let comment): ["op": "delete", "comment": comment.map { .string($0) } ?? .null]
    case .restore, .attach: [:]
    }
  }

  func provisioning() async throws -> Provisioning {
    try await Provisioning.open(shop.engine.operators, operatorName: "tests") { _ in nil }
  }

  /// Applies a provisioning file with one record.
  private func provision(_ operation: RecordOperation) async throws -> Bool {
    let (name, id) = operation.subject
    let type = try records.catalogue.type(name)
    var fields: JSONObject = [:]
    if case .create = operation {
    } else {
      let record = try await stored(name, id)
      guard !record.isEmpty else { return false }
      for column in type.definition.key { fields[column] = record[column] }
    }
    switch operation {
    case .create(_, _, let given), .update(_, _, let given, _):
      for (name, value) in given.members { fields[name] = value }
    case .transition(_, _, let request):
      fields["status"] = type.workflow?.transition(request.transition).map { .string($0.to) }
    case .delete, .restore, .attach: return false
    }
    for reference in type.definition.references {
      guard let id = fields[reference.column] else { continue }
      // A file cannot name an attachment.
      guard reference.target != "core.attachment" else { return false }
      fields[reference.column] = try await key(id, of: reference.target)
    }
    let records = JSONObject([(name, .array([.object(fields)]))])
    let file = JSONObject([(shop.company.slug, .object(["records": .object(records)]))])
    let provisioning = try await provisioning()
    let document = try YAMLDocument.decode(
      ProvisioningDocument.self,
      JSONValue.object(["companies": .object(file)]).text,
      document: "file",
      userInfo: provisioning.userInfo
    )
    let plan = try #require(try await provisioning.plan(document, prunes: false).first)
    guard plan.steps.count == 1 else { return false }
    switch (plan.steps[0].action, operation) {
    case (.createRecord, .create), (.updateRecord, .update): break
    case (.moveRecord(_, _, _, let transitions), .transition(_, _, let request))
    where transitions == [request.transition]: break
    default: return false
    }
    try await provisioning.apply(plan, secrets: { _ in throw DomainError(.internal) }) { _ in }
    return true
  }

  /// Returns the key of a record, or the address of a member, as a provisioning file names it instead of its id.
  private func key(_ id: JSONValue, of target: String) async throws -> JSONValue {
    guard let known = id.string.flatMap(UUID.init(uuidString:)) else { return id }
    if target == "core.membership" {
      return shop.members.values.first { $0.userID == known }.map { .string($0.email) } ?? id
    }
    let type = try records.catalogue.type(target).definition
    let record = try await stored(target, known)
    guard !record.isEmpty else { return id }
    var parts: [JSONValue] = []
    for column in type.key {
      let (value, reference) = (record[column] ?? .null, type.references.first { $0.column == column })
      let part = if let reference { try await key(value, of: reference.target) } else { value }
      parts.append(part)
    }
    return parts.count == 1 ? parts[0] : .array(parts)
  }
}
