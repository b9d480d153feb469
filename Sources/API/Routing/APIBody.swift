/// Parts of a body, in order.
package typealias APIByteStream = AsyncThrowingStream<[UInt8], any Error>

/// Events for one client, until the server or the client ends them.
package protocol EventSource: AnyObject, Sendable {
  /// Sends each event when it happens, as bytes of the body; nil at the end. Called once.
  ///
  /// - Parameter send: returns at once, on any thread.
  func start(_ send: @escaping @Sendable ([UInt8]?) -> Void)

  /// Ends the events, because the client has gone.
  func stop()
}

/// The body of a request.
package enum APIBody: Sendable {
  case none
  /// A body that was read whole.
  case bytes([UInt8])
  /// A body that the handler reads, at most the limit of its route.
  case stream(APIByteStream, length: Int?)
}

/// The body that a route accepts. The server refuses other and larger ones before the handler runs.
package enum BodyKind: Sendable, Hashable {
  /// No body.
  case none
  /// JSON in UTF-8, read whole.
  case json(maximumBytes: Int = 1_048_576)
  /// A form as browsers send it, read whole.
  case form(maximumBytes: Int = 16_384)
  /// Bytes of any type, streamed to the handler.
  case stream(maximumBytes: Int)
}
