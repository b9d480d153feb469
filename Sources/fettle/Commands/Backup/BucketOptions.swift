internal import ArgumentParser
internal import Cluster
internal import Domain
internal import Engine
internal import Files
internal import FoundationEssentials

/// The service of a bucket of backups. The credentials come from the environment, never from the command line.
struct BucketOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Host of the bucket's S3 service (default: that of AWS)",
      discussion: """
        The credentials are in the file that FETTLE_S3_CREDENTIALS names, or in AWS_ACCESS_KEY_ID \
        and AWS_SECRET_ACCESS_KEY.
        """,
      valueName: "host[:port]"
    )
  )
  var endpoint: String?
  @Option(help: ArgumentHelp("Region of the bucket (default: us-east-1)", valueName: "name"))
  var region: String?
  @Flag(help: "Name the bucket in paths, not in the host") var pathStyle = false
  @Option(help: ArgumentHelp("Certificates to trust in place of the system's", valueName: "file"))
  var caFile: String?

  /// Requires that a place and these options fit.
  func validate(_ text: String, _ option: String) throws {
    if text.hasPrefix("s3://") { return }
    if text.contains("://") {
      throw ValidationError("\(option) is a folder on this machine, or s3://bucket/prefix")
    }
    if endpoint != nil || region != nil || pathStyle || caFile != nil {
      throw ValidationError("--endpoint, --region, --path-style and --ca-file belong to s3://bucket/prefix")
    }
  }

  /// Returns the place that a text names, with the credentials of a bucket.
  ///
  /// - Throws: `invalid_input` for a bucket without credentials, or with those of a session, which ends.
  func place(_ text: String) throws -> BackupPlace {
    guard text.hasPrefix("s3://") else { return .folder(ClusterHome(directory: text).directory) }
    let parts = text.dropFirst("s3://".count).split(separator: "/").map(String.init)
    let host = endpoint.map { $0.hasPrefix("https://") ? $0 : "https://\($0)" }
    do throws(FilesError) {
      let place = try S3Place(
        bucket: parts.first ?? "",
        prefix: parts.dropFirst().joined(separator: "/"),
        endpoint: host,
        region: region,
        isInHost: !pathStyle,
        authorities: caFile.map { ClusterHome(directory: $0).directory }
      )
      return .bucket(place, try Self.credentials(ProcessInfo.processInfo.environment))
    } catch { throw error.asDomainError }
  }

  private static func credentials(_ environment: [String: String]) throws(FilesError)
    -> S3Place.Credentials
  {
    let credentials = try S3Place.Credentials(environment: environment)
    guard credentials.sessionToken == nil else {
      throw FilesError(
        .invalidPlace,
        "the credentials are those of a session, which ends before the next backup: use a permanent key"
      )
    }
    // A line of pgBackRest's configuration for each.
    for key in [credentials.accessKey, credentials.secretKey] {
      guard key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
        throw FilesError(.invalidPlace, "the credentials have a space or another character of no key")
      }
    }
    return credentials
  }
}
