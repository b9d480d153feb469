/// The place of a store: a folder, or a bucket.
package enum BlobPlace: Sendable, Equatable {
  /// A folder on this machine.
  case folder(String)
  /// A bucket of an S3-compatible service.
  case bucket(S3Place)

  /// Parses a place: `s3://bucket?…`, or the path of a folder.
  ///
  /// - Throws: `invalidPlace`.
  package init(parsing text: String) throws(FilesError) {
    if text.hasPrefix("s3://") {
      self = .bucket(try S3Place(parsing: text))
      return
    }
    guard !text.isEmpty, !text.contains("://"), !text.utf8.contains(0) else {
      throw FilesError(.invalidPlace, "the store of files is neither a folder nor s3://bucket")
    }
    self = .folder(text)
  }

  /// Opens the store.
  ///
  /// - Parameter environment: has the credentials of a bucket.
  /// - Throws: `invalidPlace` without credentials.
  package func open(environment: [String: String]) throws(FilesError) -> any BlobStore {
    switch self {
    case .folder(let path): DiskStore(path: path)
    case .bucket(let place): S3Store(place, try S3Place.Credentials(environment: environment))
    }
  }
}
