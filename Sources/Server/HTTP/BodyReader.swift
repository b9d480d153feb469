internal import API
internal import Domain
internal import HummingbirdCore
internal import NIOCore

/// Reads the body of a request once, part by part, as fast as its reader takes them.
actor BodyReader {
  private let limit: Int
  private let expected: Int?
  private let onPart: @Sendable () -> Void
  private let body: RequestBody
  private var iterator: RequestBody.AsyncIterator?
  private var received = 0
  /// True once the body has been read to its end.
  private(set) var isFinished = false

  /// - Parameters:
  ///   - limit: the maximum size in bytes.
  ///   - expected: the size by `Content-Length`; nil if it is not known.
  ///   - onPart: called after each part.
  init(
    _ body: RequestBody,
    limit: Int,
    expected: Int?,
    onPart: @escaping @Sendable () -> Void = {}
  ) {
    self.body = body
    self.limit = limit
    self.expected = expected
    self.onPart = onPart
  }

  /// Returns the next part; nil at the end.
  ///
  /// - Throws: `payload_too_large`, `timed_out` if the client is too slow, `malformed_request` if the body ends
  ///   early.
  func next() async throws -> [UInt8]? {
    guard !isFinished else { return nil }
    guard let part = try await nextPart() else {
      guard expected.map({ $0 == received }) ?? true else {
        throw DomainError(.malformedRequest, "the body ended early")
      }
      isFinished = true
      return nil
    }
    received += part.readableBytes
    guard received <= limit else { throw Self.tooLarge(limit) }
    onPart()
    return Array(part.readableBytesView)
  }

  /// Reads the rest of the body.
  ///
  /// - Throws: as ``next()``.
  func all() async throws -> [UInt8] {
    var bytes: [UInt8] = []
    if let expected { bytes.reserveCapacity(min(expected, limit)) }
    while let part = try await next() { bytes += part }
    return bytes
  }

  /// Returns the body as parts that the reader pulls.
  nonisolated func stream() -> APIByteStream { APIByteStream(unfolding: { try await self.next() }) }

  private func nextPart() async throws -> ByteBuffer? {
    var iterator = iterator ?? body.makeAsyncIterator()
    do {
      let part = try await iterator.next(isolation: self)
      self.iterator = iterator
      return part
    } catch let error as CancellationError {
      throw error
    } catch is BodyTimedOut {
      throw DomainError(.timedOut, "the body arrived too slowly")
    } catch {
      throw DomainError(.malformedRequest, "the body ended early")
    }
  }

  /// Returns the error of a body that is larger than its limit.
  static func tooLarge(_ limit: Int) -> DomainError {
    DomainError(
      .payloadTooLarge,
      "the body has more than \(limit) bytes",
      details: ["maximum_bytes": .integer(limit)]
    )
  }
}
