internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store

/// The record type and the record that a path such as `/v1/maintenance/entry/WO-1001` names.
extension Records {
  /// Returns the record type that a path names.
  ///
  /// - Throws: `unknown_type` with the closest name as a hint.
  func type(of request: APIRequest) async throws -> RecordType {
    try await type(named: "\(try request.parameter("app")).\(try request.parameter("type"))")
  }

  /// Returns a record type.
  ///
  /// - Throws: `unknown_type` with the closest name as a hint.
  func type(named name: String) async throws -> RecordType {
    if let type = catalogue.types.first(where: { $0.name == name }) { return type }
    // The app may have been installed meanwhile.
    try await refresh()
    return try catalogue.type(name)
  }

  /// Returns the record that a path names by its id, the beginning of its id, its number or its key.
  ///
  /// The error is the same for a record that does not exist and for one that the caller may not read.
  func id(in request: APIRequest, of type: RecordType, deleted: Bool = false) async throws -> UUID {
    try await id(of: try request.parameter("id"), type, try request.acting(), deleted: deleted)
  }

  /// Returns the record that a text names by its id, the beginning of its id, its number or its key.
  ///
  /// The error is the same for a record that does not exist and for one that the caller may not read.
  func id(of text: String, _ type: RecordType, _ acting: ActingContext, deleted: Bool = false) async throws
    -> UUID
  {
    if let id = UUID(text: text) { return id }
    do {
      return try await resolve(acting, type: type.name, text, deleted: deleted)
    } catch let error as DomainError where [.notFound, .invalidInput].contains(error.code) {
      // The hints of these name records that the caller may not read.
      throw DomainError(.notFound, "there is no such \(type.definition.label.lowercased())")
    }
  }
}
