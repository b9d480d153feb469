package import FoundationEssentials

extension UUID {
  /// Parses a UUID in upper or lower case.
  ///
  /// - Throws: `invalid_id`.
  package init(parsing text: String) throws(DomainError) {
    guard let id = UUID(uuidString: text) else {
      throw DomainError(.invalidID, "\(Quoted(text)) is not an id")
    }
    self = id
  }

  /// The UUID in lower case, as PostgreSQL prints it.
  package var text: String { uuidString.lowercased() }
}
