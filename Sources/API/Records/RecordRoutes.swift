internal import Domain
package import Engine
internal import FoundationEssentials
internal import Store

/// The routes of records of every installed type: `/v1/{app}/{type}`, the halves of the type's name.
package struct RecordRoutes: Sendable {
  let services: Services
  let records: Records
  let conversation: Conversation

  /// - Parameter records: the use cases, which all routes of a process share.
  package init(_ services: Services, _ records: Records) {
    self.services = services
    self.records = records
    conversation = Conversation(services, records)
  }

  static let collection = "/v1/{app}/{type}"
  static let single = "/v1/{app}/{type}/{id}"

  package var routes: [Route] {
    [
      Route(.get, Self.collection, RecordOperations.list, handler: list),
      Route(.post, Self.collection, RecordOperations.create, handler: create),
      Route(
        .post,
        "\(Self.collection)/do/{transition}",
        RecordOperations.transitionAll,
        handler: transitionAll
      ),
      Route(.get, Self.single, RecordOperations.show, handler: show),
      Route(.patch, Self.single, RecordOperations.update, exists: canChange, handler: update),
      Route(.delete, Self.single, RecordOperations.delete, handler: delete),
      Route(.post, "\(Self.single)/restore", RecordOperations.restore, handler: restore),
      Route(.post, "\(Self.single)/do/{transition}", RecordOperations.transition, handler: transition),
      Route(.get, "\(Self.single)/history", RecordOperations.history, handler: history),
      Route(.get, "\(Self.single)/explain", RecordOperations.explain, handler: explain),
      Route(.get, "\(Self.single)/comments", RecordOperations.comments, handler: comments),
      Route(.post, "\(Self.single)/comments", RecordOperations.say, handler: say),
      Route(.patch, "\(Self.single)/comments/{comment}", RecordOperations.editComment, handler: editComment),
      Route(
        .delete,
        "\(Self.single)/comments/{comment}",
        RecordOperations.withdrawComment,
        handler: withdrawComment
      ),
      Route(.put, "\(Self.single)/watch", RecordOperations.watch) { try await watch($0, true) },
      Route(.delete, "\(Self.single)/watch", RecordOperations.unwatch) { try await watch($0, false) },
      Route(.post, "/v1/batch", RecordOperations.batch, handler: batch),
    ]
  }

  /// Returns false for a type that is known to have no columns which can be changed.
  private func canChange(_ parameters: [String: String]) -> Bool {
    let name = "\(parameters["app"] ?? "").\(parameters["type"] ?? "")"
    return records.catalogue.types.first { $0.name == name }?.definition.editable.isEmpty != true
  }

  /// Returns the record type that a path names.
  ///
  /// - Throws: `unknown_type` with the closest name as a hint.
  func type(of request: APIRequest) async throws -> RecordType {
    let name = "\(try request.parameter("app")).\(try request.parameter("type"))"
    if let type = records.catalogue.types.first(where: { $0.name == name }) { return type }
    // The app may have been installed meanwhile.
    try await records.refresh()
    return try records.catalogue.type(name)
  }

  /// Returns the record that a path names by its id, its number or its key.
  ///
  /// The error is the same for a record that does not exist and for one that the caller may not read.
  func id(in request: APIRequest, of type: RecordType, deleted: Bool = false) async throws -> UUID {
    let text = try request.parameter("id")
    if let id = UUID(text: text) { return id }
    do {
      return try await records.resolve(try request.acting(), type: type.name, text, deleted: deleted)
    } catch let error as DomainError where [.notFound, .invalidInput].contains(error.code) {
      // The hints of these name records that the caller may not read.
      throw DomainError(.notFound, "there is no such \(type.definition.label.lowercased())")
    }
  }

  /// Refuses every parameter of the query except these.
  static func requireQuery(_ request: APIRequest, _ names: Set<String>) throws(DomainError) {
    var seen: Set<String> = []
    for (name, _) in request.query {
      guard names.contains(name), seen.insert(name).inserted else {
        throw DomainError(
          .unknownFields,
          "there is no parameter \(Quoted(name)), or it is repeated",
          hint: names.isEmpty ? "leave it out" : "use once: \(names.sorted().joined(separator: ", "))",
          details: ["fields": [.string(name)]]
        )
      }
    }
  }
}

extension APIRequest {
  /// The first value of a parameter of the query; nil if it is absent.
  func queryValue(_ name: String) -> String? { query.first { $0.name == name }?.value }
}
