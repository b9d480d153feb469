/// The notifications of ``Database/listen(_:)``; the sequence ends when the database is closed.
///
/// A broken connection is replaced. Notifications sent in between are lost, so the new connection first
/// yields ``Event/resynchronise``. It is also the first event of every sequence.
public struct Notifications: AsyncSequence, Sendable {
  /// A notification, or a request to resynchronise.
  public enum Event: Sendable, Hashable {
    /// A transaction that ran `notify channel, 'payload'` was committed.
    case notified(channel: String, payload: String, processID: Int32)
    /// Notifications may have been missed: read the tables that they refer to.
    case resynchronise
  }

  /// Iterates over the events.
  public struct AsyncIterator: AsyncIteratorProtocol {
    var base: AsyncStream<Event>.AsyncIterator

    /// Returns the next event; `nil` after the listener has ended.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Never) -> Event? {
      await base.next(isolation: actor)
    }
  }

  let stream: AsyncStream<Event>

  /// Creates an iterator. With several iterators, each event goes to one of them.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(base: stream.makeAsyncIterator())
  }
}

extension Database {
  /// Listens on channels with a connection and a thread of its own, until the sequence is released.
  ///
  /// Up to a thousand events are buffered; further ones are dropped and replaced by
  /// ``Notifications/Event/resynchronise``. A dead connection is detected within ten seconds.
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
  /// - Parameter channels: names, quoted as identifiers.
  public func listen(_ channels: [String]) -> Notifications {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Notifications.Event.self,
      bufferingPolicy: .bufferingNewest(1000)
    )
    let listener = Listener(channels, configuration, continuation)
    listeners.add(listener)
    let listeners = self.listeners
    continuation.onTermination = { _ in
      listener.stop()
      listeners.remove(listener)
    }
    listener.start()
    return Notifications(stream: stream)
  }
}
