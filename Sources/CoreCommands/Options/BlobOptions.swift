package import ArgumentParser
internal import Cluster
internal import Engine
package import Files
internal import FoundationEssentials

/// The place of the bytes of files.
package struct BlobOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Store of files: a folder, or s3://bucket?endpoint=URL, whose credentials are in the file FETTLE_S3_CREDENTIALS or \
      in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (default: FETTLE_BLOBS, or the folder blobs beside the keys)
      """,
      valueName: "place"
    )
  )
  package var blobs: String?

  package init() {}

  /// Opens the store. Nothing is read or written before it is used.
  ///
  /// - Throws: `invalid_input` for a place that cannot be used, and for a bucket without credentials.
  package func store() throws -> any BlobStore {
    let place = try named()
    do throws(FilesError) {
      return try BlobPlace(parsing: place).open(environment: ProcessInfo.processInfo.environment)
    } catch {
      throw error.asDomainError
    }
  }

  /// Returns the place that the option or the environment names, or the default.
  package func named() throws -> String {
    let variable = ProcessInfo.processInfo.environment["FETTLE_BLOBS"].flatMap { $0.isEmpty ? nil : $0 }
    return try blobs ?? variable ?? "\(ClusterHome.locate().directory)/blobs"
  }
}
