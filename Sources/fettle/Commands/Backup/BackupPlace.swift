internal import Domain
internal import Files
internal import FoundationEssentials

/// The place of backups: a folder, or a prefix in a bucket of an S3-compatible service with TLS.
///
/// pgBackRest has its repository in `database` below it, and restic in `files`.
enum BackupPlace {
  case folder(String)
  case bucket(S3Place, S3Place.Credentials)

  /// The folder, or `s3://bucket/prefix`.
  var name: String {
    switch self {
    case .folder(let path): path
    case .bucket(let place, _): "s3://\(place.bucket)\(Self.path(place))"
    }
  }

  /// What the settings keep of a bucket; nil for a folder.
  var service: BackupSettings.Service? {
    guard case .bucket(let place, _) = self else { return nil }
    return BackupSettings.Service(
      endpoint: place.endpoint,
      region: place.region,
      isPathStyle: !place.isInHost
    )
  }

  /// The prefix as a path: empty, or with a slash at its beginning.
  private static func path(_ place: S3Place) -> String { place.prefix.isEmpty ? "" : "/\(place.prefix)" }

  /// The lines of pgBackRest's configuration that name the place.
  var databaseLines: [String] {
    switch self {
    case .folder(let path): return ["repo1-path=\(path)/database"]
    case .bucket(let place, let credentials):
      var lines = [
        "repo1-type=s3", "repo1-path=\(Self.path(place))/database", "repo1-s3-bucket=\(place.bucket)",
        "repo1-s3-endpoint=\(place.host)", "repo1-storage-port=\(place.port ?? 443)",
        "repo1-s3-region=\(place.region)", "repo1-s3-uri-style=\(place.isInHost ? "host" : "path")",
        "repo1-s3-key=\(credentials.accessKey)", "repo1-s3-key-secret=\(credentials.secretKey)",
      ]
      if let authorities = place.authorities { lines.append("repo1-storage-ca-file=\(authorities)") }
      return lines
    }
  }

  /// The repository of restic.
  var filesRepository: String {
    switch self {
    case .folder(let path): "\(path)/files"
    case .bucket(let place, _): "s3:\(place.endpoint)/\(place.bucket)\(Self.path(place))/files"
    }
  }

  /// The options of restic that the place needs.
  var filesOptions: [String] {
    guard case .bucket(let place, _) = self else { return [] }
    return [
      "--option", "s3.region=\(place.region)", "--option",
      "s3.bucket-lookup=\(place.isInHost ? "dns" : "path")",
    ] + (place.authorities.map { ["--cacert", $0] } ?? [])
  }

  /// The variables with the credentials for restic: another user cannot read them, as the arguments.
  var filesVariables: [String] {
    guard case .bucket(_, let credentials) = self else { return [] }
    return ["AWS_ACCESS_KEY_ID=\(credentials.accessKey)", "AWS_SECRET_ACCESS_KEY=\(credentials.secretKey)"]
  }

  /// Requires that nothing is in the place, and that a bucket can be written.
  ///
  /// - Throws: `already_exists`; as ``requireAnswer()``.
  func requireUsable() async throws {
    let isEmpty: Bool
    switch self {
    case .folder(let path):
      isEmpty = ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).isEmpty
    case .bucket(let place, let credentials):
      let probe = S3Probe(place, credentials)
      isEmpty = try await told(place) { () async throws(S3Probe.Fault) in
        let isEmpty = try await probe.isEmpty()
        if isEmpty { try await probe.write() }
        return isEmpty
      }
    }
    guard isEmpty else {
      throw DomainError(
        .alreadyExists,
        "\(name) is not empty",
        hint: "name an empty folder, or another prefix of the bucket: an archive belongs to one cluster"
      )
    }
  }

  /// Requires that the folder exists, or that a bucket answers and lets its objects be listed.
  ///
  /// - Throws: `unavailable`, `not_found` without it, `invalid_input` if the service refuses the credentials.
  func requireAnswer() async throws {
    guard case .bucket(let place, let credentials) = self else {
      guard FileManager.default.fileExists(atPath: filesRepository) else {
        throw DomainError(.notFound, "there are no backups in \(Quoted(name))", hint: "check the folder")
      }
      return
    }
    _ = try await told(place) { () async throws(S3Probe.Fault) in
      try await S3Probe(place, credentials).isEmpty()
    }
  }

  private func told<Value>(_ place: S3Place, _ body: () async throws(S3Probe.Fault) -> Value) async throws
    -> Value
  {
    do throws(S3Probe.Fault) { return try await body() } catch { throw refusal(error, place) }
  }

  private func refusal(_ fault: S3Probe.Fault, _ place: S3Place) -> DomainError {
    switch fault {
    case .unreachable(let reason):
      DomainError(
        .unavailable,
        "\(place.endpoint) cannot be reached: \(reason)",
        hint:
          "check --endpoint and the network, and name the certificate of an authority of your own with --ca-file"
      )
    case .refused(let code):
      DomainError(
        .invalidInput,
        "\(name) refuses the credentials: \(code)",
        hint: "name a key that may list, read, write and remove objects there: FETTLE_S3_CREDENTIALS, or "
          + "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
      )
    case .missing:
      DomainError(
        .notFound,
        "there is no bucket \(place.bucket) at \(place.endpoint)",
        hint: "create it, or check --to, --endpoint and --path-style"
      )
    case .answered(let status, let code):
      DomainError(
        .unavailable,
        "\(place.endpoint) answers with status \(status): \(code)",
        hint: "check --endpoint, --region and --path-style"
      )
    case .mixedUp:
      DomainError(.unavailable, "\(name) returns other bytes than were stored", hint: "use another service")
    }
  }
}
