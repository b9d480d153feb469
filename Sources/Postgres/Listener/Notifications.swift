/// The notifications of ``Database/listen(_:)``; the sequence ends when the database is closed or the
/// iterating task is cancelled.
///
/// A broken connection is replaced, as often as needed. Notifications sent in between are lost, so the new
/// connection first yields ``Event/resynchronise``. It is also the first event of every sequence, as soon as
/// the connection listens.
public struct Notifications: AsyncSequence, Sendable {
  /// A notification, or a request to resynchronise.
  public enum Event: Sendable, Hashable {
    /// A transaction that ran `notify channel, 'payload'` was committed. The process id is that of the
    /// sender's server process. PostgreSQL drops duplicates within a transaction and limits the payload to
    /// 7,999 bytes.
    case notified(channel: String, payload: String, processID: Int32)
    /// Notifications may have been missed: read the tables that they refer to.
    case resynchronise
  }

  /// Iterates over the events.
  public struct AsyncIterator: AsyncIteratorProtocol {
    var base: AsyncStream<Event>.AsyncIterator

    /// Returns the next event, waiting for it; `nil` after the listener has ended or the task was cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Never) -> Event? {
      await base.next(isolation: actor)
    }
  }

  let stream: AsyncStream<Event>

  /// Returns an iterator. With several iterators, each event goes to one of them.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(base: stream.makeAsyncIterator())
  }
}

extension Database {
  /// Listens on channels with a connection and a thread of its own, until the sequence is released.
  ///
  /// Up to 1,000 events are buffered. If the consumer is slower, the oldest events are dropped, and
  /// ``Notifications/Event/resynchronise`` follows. A dead connection is detected within ten seconds.
  ///
  /// ```swift
  /// for await event in database.listen(["jobs"]) {
  ///   switch event {
  ///   case .notified(_, let payload, _): enqueue(payload)
  ///   case .resynchronise: await readEverything()
  ///   }
  /// }
  /// ```
  ///
  /// Connects with ``Database/Configuration/directParameters``, since notifications do not pass a pooler in
  /// transaction mode. Errors are not reported: connecting is tried again after 0.1 to 5 seconds.
  ///
  /// - Parameter channels: names, quoted as identifiers and so case-sensitive.
  /// - Returns: the events; the first one is ``Notifications/Event/resynchronise``.
  public func listen(_ channels: [String]) -> Notifications {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Notifications.Event.self,
      bufferingPolicy: .bufferingNewest(1000)
    )
    let listener = Listener(channels, configuration, continuation)
    guard listeners.add(listener) else {
      continuation.finish()
      return Notifications(stream: stream)
    }
    let listeners = self.listeners
    continuation.onTermination = { _ in
      listener.stop()
      listeners.remove(listener)
    }
    listener.start()
    return Notifications(stream: stream)
  }
}
