internal import Domain
internal import FoundationEssentials
internal import Glibc

/// The bucket of an ``S3Store``: `s3://bucket?endpoint=https://s3.example&region=eu-north-1&prefix=fettle`.
package struct S3Place: Sendable, Equatable {
  /// The credentials, which no option of a command contains.
  package struct Credentials: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    package let accessKey: String
    package let secretKey: String
    /// The token of temporary credentials; nil for permanent ones.
    package let sessionToken: String?

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
  /// True if the host of a request names the bucket; false if its path does, which every service takes.
  package let isInHost: Bool
  /// A file with the certificates of trusted authorities; nil for those of the system.
  package var authorities: String?

  /// Parses the text of a place.
  ///
  /// - Throws: `invalidPlace` for any other form, and for an endpoint without TLS that is not on this machine.
  package init(parsing text: String) throws(FilesError) {
    func refusal(_ what: String) -> FilesError {
      FilesError(.invalidPlace, "\(what); write s3://bucket?endpoint=https://host&region=name")
    }
    guard text.hasPrefix("s3://") else { throw refusal("the store of files does not begin with s3://") }
    let halves = text.dropFirst("s3://".count).split(separator: "?", maxSplits: 1).map(String.init)
    guard let bucket = halves.first else { throw refusal("the name of the bucket is not valid") }
    var options: [String: String] = [:]
    for pair in halves.dropFirst().first?.split(separator: "&") ?? [] {
      let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2, ["endpoint", "region", "prefix"].contains(parts[0]), options[parts[0]] == nil
      else {
        throw refusal("the options of the bucket are not valid")
      }
      options[parts[0]] = parts[1]
    }
    do {
      try self.init(
        bucket: bucket,
        prefix: options["prefix"] ?? "",
        endpoint: options["endpoint"],
        region: options["region"]
      )
    } catch { throw refusal(error.message) }
  }

  /// Describes a bucket.
  ///
  /// - Parameters:
  ///   - endpoint: nil for that of AWS.
  ///   - region: nil for `us-east-1`.
  /// - Throws: `invalidPlace` for names that cannot be right, and for an endpoint without TLS that is not on this machine.
  package init(
    bucket: String,
    prefix: String,
    endpoint: String?,
    region: String?,
    isInHost: Bool = false,
    authorities: String? = nil
  ) throws(FilesError) {
    guard (3...63).contains(bucket.utf8.count), Self.isPlain(bucket, ".-") else {
      throw FilesError(.invalidPlace, "the name of the bucket is not valid")
    }
    let region = region ?? "us-east-1"
    guard Self.isPlain(region, "-") else { throw FilesError(.invalidPlace, "the region is not valid") }
    guard
      prefix.isEmpty
        || prefix.split(separator: "/", omittingEmptySubsequences: false)
          .allSatisfy({ !$0.isEmpty && Self.isPlain(String($0), "-_") })
    else { throw FilesError(.invalidPlace, "the prefix is not valid") }
    self.bucket = bucket
    self.region = region
    self.prefix = prefix
    self.isInHost = isInHost
    self.authorities = authorities
    self.endpoint = endpoint ?? "https://s3.\(region).amazonaws.com"
    guard Self.parts(of: self.endpoint) != nil else {
      throw FilesError(.invalidPlace, "the endpoint is not an origin")
    }
    guard self.endpoint.hasPrefix("https://") || LocalHost.isNamed(inURL: self.endpoint) else {
      throw FilesError(.invalidPlace, "the endpoint has no TLS")
    }
  }

  /// The place without options that operators do not need.
  package var description: String { "s3://\(bucket) at \(endpoint)" }

  /// The host of the endpoint.
  package var host: String { Self.parts(of: endpoint)?.host ?? "" }

  /// The port of the endpoint; nil for that of its scheme.
  package var port: Int? { Self.parts(of: endpoint)?.port }

  /// The beginning of the URL of every object, without a slash at its end.
  var root: String {
    guard isInHost, let end = endpoint.firstRange(of: "://")?.upperBound else {
      return "\(endpoint)/\(bucket)"
    }
    return "\(endpoint[..<end])\(bucket).\(endpoint[end...])"
  }

  /// Returns the host and the port of an origin; nil unless the text is `scheme://host[:port]`.
  private static func parts(of origin: String) -> (host: String, port: Int?)? {
    guard let scheme = ["https://", "http://"].first(where: origin.hasPrefix) else { return nil }
    let authority = String(origin.dropFirst(scheme.count))
    let end = authority.hasPrefix("[") ? authority.firstIndex(of: "]").map(authority.index(after:)) : nil
    let host = end.map { String(authority[..<$0]) } ?? String(authority.prefix { $0 != ":" })
    let rest = authority.dropFirst(host.count)
    guard isPlain(host.filter { !"[]:".contains($0) }, ".-"), rest.isEmpty || UInt16(rest.dropFirst()) != nil
    else { return nil }
    return (host, Int(rest.dropFirst()))
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
      try self.init(file: path, named: "the file of FETTLE_S3_CREDENTIALS")
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

  /// Reads the credentials from a file with the access key and the secret key in its first two lines.
  ///
  /// - Parameter name: what errors call the file.
  /// - Throws: `invalidPlace` without credentials, and for a file that others than its owner can access.
  package init(file path: String, named name: String) throws(FilesError) {
    let lines = try Self.lines(of: path, name)
    guard lines.count >= 2 else { throw FilesError(.invalidPlace, "\(name) does not have two lines") }
    self.init(accessKey: lines[0], secretKey: lines[1], sessionToken: lines.count > 2 ? lines[2] : nil)
  }

  private static func lines(of path: String, _ name: String) throws(FilesError) -> [String] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw FilesError(.invalidPlace, "\(name) cannot be opened") }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 == 0
    else { throw FilesError(.invalidPlace, "\(name) can be read by others than its owner") }
    var buffer = [UInt8](repeating: 0, count: 8_192)
    let count = read(descriptor, &buffer, buffer.count)
    return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
      .split(whereSeparator: \.isNewline).map(String.init)
  }
}
