package import Domain
package import Files

/// Runs an operation on the store, and translates its error.
///
/// - Throws: `unavailable` for a temporary failure; `internal` if the store lacks bytes that the database names.
package func stored<Value>(_ body: () async throws(FilesError) -> Value) async throws -> Value {
  do throws(FilesError) {
    return try await body()
  } catch {
    throw error.asDomainError
  }
}

extension FilesError {
  /// The error in the form of the use cases.
  package var asDomainError: DomainError {
    switch kind {
    case .busy, .unavailable: DomainError(.unavailable, message, hint: "try again in a few seconds")
    case .full: DomainError(.unavailable, message, hint: "free space in the store of files")
    case .missing, .mismatch: DomainError(.internal, message)
    case .invalidPlace: DomainError(.invalidInput, message)
    case .invalidLink: DomainError(.notFound, message)
    }
  }
}

extension Services {
  /// Returns the store of the bytes of files.
  ///
  /// - Throws: `unavailable` for a process without one.
  package func store() throws -> any BlobStore {
    guard let blobs else {
      throw DomainError(
        .unavailable,
        "this process has no store of files",
        hint: "name its place with --blobs or FETTLE_BLOBS"
      )
    }
    return blobs
  }
}
