internal import Domain
internal import FoundationEssentials
internal import Glibc

/// The bucket of an ``S3Store``: `s3://bucket?endpoint=https://s3.example&region=eu-north-1&prefix=fettle`.
package struct S3Place: Sendable, Equatable {
  /// The credentials, which no option of a command contains.
  package struct Credentials: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    let accessKey: String
    let secretKey: String
    /// The token of temporary credentials; nil for permanent ones.
    let sessionToken: String?

    package init(accessKey: String, secretKey: String, sessionToken: String? = nil) {
      self.accessKey = accessKey
      self.secretKey = secretKey
      self.sessionToken = sessionToken
    }

    package var description: String { "credentials (not shown)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
  }

  /// The bucket.
  package let bucket: String
  /// The origin of the service, without a path, such as `https://s3.eu-north-1.amazonaws.com`.
  package let endpoint: String
  /// The region, for the signature.
  package let region: String
  /// The beginning of all keys, without slashes at its ends; empty for none.
  package let prefix: String

  /// Parses the text of a place.
  ///
  /// - Throws: `invalidPlace` for any other form, and for an endpoint without TLS that is not on this machine.
  package init(parsing text: String) throws(FilesError) {
    func refusal(_ what: String) -> FilesError {
      FilesError(.invalidPlace, "\(what); write s3://bucket?endpoint=https://host&region=name")
    }
    guard text.hasPrefix("s3://") else { throw refusal("the store of files does not begin with s3://") }
    let halves = text.dropFirst("s3://".count).split(separator: "?", maxSplits: 1).map(String.init)
    guard let bucket = halves.first, (3...63).contains(bucket.utf8.count), Self.isPlain(bucket, ".-") else {
      throw refusal("the name of the bucket is not valid")
    }
    var options: [String: String] = [:]
    for pair in halves.dropFirst().first?.split(separator: "&") ?? [] {
      let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2, ["endpoint", "region", "prefix"].contains(parts[0]), options[parts[0]] == nil
      else {
        throw refusal("the options of the bucket are not valid")
      }
      options[parts[0]] = parts[1]
    }
    let region = options["region"] ?? "us-east-1"
    guard Self.isPlain(region, "-") else { throw refusal("the region is not valid") }
    let prefix = options["prefix"] ?? ""
    guard
      prefix.isEmpty
        || prefix.split(separator: "/", omittingEmptySubsequences: false)
          .allSatisfy({ !$0.isEmpty && Self.isPlain(String($0), "-_") })
    else { throw refusal("the prefix is not valid") }
    self.bucket = bucket
    self.region = region
    self.prefix = prefix
    endpoint = options["endpoint"] ?? "https://s3.\(region).amazonaws.com"
    guard Self.host(of: endpoint) != nil else { throw refusal("the endpoint is not an origin") }
    guard endpoint.hasPrefix("https://") || LocalHost.isNamed(inURL: endpoint) else {
      throw refusal("the endpoint has no TLS")
    }
  }

  /// The place without options that operators do not need.
  package var description: String { "s3://\(bucket) at \(endpoint)" }

  /// Returns the host of an origin; nil unless the text is `scheme://host[:port]`.
  private static func host(of origin: String) -> String? {
    guard let scheme = ["https://", "http://"].first(where: origin.hasPrefix) else { return nil }
    let authority = String(origin.dropFirst(scheme.count))
    let end = authority.hasPrefix("[") ? authority.firstIndex(of: "]").map(authority.index(after:)) : nil
    let host = end.map { String(authority[..<$0]) } ?? String(authority.prefix { $0 != ":" })
    let port = authority.dropFirst(host.count)
    guard isPlain(host.filter { !"[]:".contains($0) }, ".-"), port.isEmpty || UInt16(port.dropFirst()) != nil
    else {
      return nil
    }
    return host
  }

  private static func isPlain(_ text: String, _ more: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || more.utf8.contains(byte)
      }
  }
}

extension S3Place.Credentials {
  /// Reads the credentials: from the file that `FETTLE_S3_CREDENTIALS` names, with the access key and the secret key
  /// in its first two lines; otherwise from `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`.
  ///
  /// - Throws: `invalidPlace` without credentials, and for a file that others than its owner can access.
  package init(environment: [String: String]) throws(FilesError) {
    if let path = environment["FETTLE_S3_CREDENTIALS"], !path.isEmpty {
      let lines = try Self.lines(of: path)
      guard lines.count >= 2 else {
        throw FilesError(.invalidPlace, "the file of FETTLE_S3_CREDENTIALS does not have two lines")
      }
      self.init(accessKey: lines[0], secretKey: lines[1], sessionToken: lines.count > 2 ? lines[2] : nil)
      return
    }
    guard let access = environment["AWS_ACCESS_KEY_ID"], let secret = environment["AWS_SECRET_ACCESS_KEY"],
      !access.isEmpty, !secret.isEmpty
    else {
      throw FilesError(
        .invalidPlace,
        "there are no credentials for S3: set FETTLE_S3_CREDENTIALS to a file with mode 600, or AWS_ACCESS_KEY_ID "
          + "and AWS_SECRET_ACCESS_KEY"
      )
    }
    let token = environment["AWS_SESSION_TOKEN"] ?? ""
    self.init(accessKey: access, secretKey: secret, sessionToken: token.isEmpty ? nil : token)
  }

  private static func lines(of path: String) throws(FilesError) -> [String] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw FilesError(.invalidPlace, "the file of FETTLE_S3_CREDENTIALS cannot be opened")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 == 0
    else {
      throw FilesError(
        .invalidPlace,
        "the file of FETTLE_S3_CREDENTIALS can be read by others than its owner"
      )
    }
    var buffer = [UInt8](repeating: 0, count: 8_192)
    let count = read(descriptor, &buffer, buffer.count)
    return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
      .split(whereSeparator: \.isNewline).map(String.init)
  }
}
