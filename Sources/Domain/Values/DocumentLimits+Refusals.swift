extension DocumentLimits {
  /// Requires a size in bytes.
  ///
  /// - Parameter document: the name of the document in the message.
  /// - Throws: `invalid_document`.
  package func require(bytes count: Int, of document: String) throws(DomainError) {
    guard count > bytes else { return }
    throw DomainError(.invalidDocument, "\(document) is larger than \(bytes / 1_000_000) MB", hint: Self.hint)
  }

  /// The error for a document with too many nodes.
  ///
  /// - Parameter document: the name of the document, with the line if it is known.
  package func tooManyNodes(in document: String) -> DomainError {
    DomainError(.invalidDocument, "\(document) has more than \(nodes) values", hint: Self.hint)
  }

  private static let hint = "split the document into several"
}
