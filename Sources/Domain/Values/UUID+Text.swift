package import FoundationEssentials

extension UUID {
  /// Parses an id; throws ``ErrorCode/invalidID`` with the quoted text.
  package init(parsing text: String) throws(DomainError) {
    guard let id = UUID(uuidString: text) else {
      throw DomainError(.invalidID, "\(Quoted(text)) is not an id")
    }
    self = id
  }

  /// The id in lower case, as PostgreSQL prints it.
  package var text: String { uuidString.lowercased() }
}
