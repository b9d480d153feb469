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
      Route(.post, Self.collection, RecordOperations.create, exists: canCreate, handler: create),
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
    ] + importRoutes
  }

  /// Returns false for a type that is known to have no columns which can be changed.
  private func canChange(_ parameters: [String: String]) -> Bool {
    type(parameters)?.definition.editable.isEmpty != true
  }

  /// Returns false for a type that is known to be created by a route of its own only.
  private func canCreate(_ parameters: [String: String]) -> Bool {
    type(parameters)?.isCreatedAsRecord != false
  }

  private func type(_ parameters: [String: String]) -> RecordType? {
    let name = "\(parameters["app"] ?? "").\(parameters["type"] ?? "")"
    return records.catalogue.types.first { $0.name == name }
  }
}

extension APIRequest {
  /// The first value of a parameter of the query; nil if it is absent.
  func queryValue(_ name: String) -> String? { query.first { $0.name == name }?.value }
}
