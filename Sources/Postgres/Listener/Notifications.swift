/// What arrives on the channels of a ``Database/listen(_:)``; ends when the database is closed.
///
/// The connection is looked after: when it breaks it is made anew, and because what was notified in between is
/// lost, ``Event/resynchronise`` then tells the consumer to look for itself. It is also the first event.
public struct Notifications: AsyncSequence, Sendable {
  /// One thing that happened.
  public enum Event: Sendable, Hashable {
    /// Somebody ran `notify channel, 'payload'` and committed.
    case notified(channel: String, payload: String, processID: Int32)
    /// Notifications may have been missed: read the tables that they are about.
    case resynchronise
  }

  /// Walks over the events.
  public struct AsyncIterator: AsyncIteratorProtocol {
    var base: AsyncStream<Event>.AsyncIterator

    /// The next event; `nil` when the listener has ended.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Never) -> Event? {
      await base.next(isolation: actor)
    }
  }

  let stream: AsyncStream<Event>

  /// Only one iterator gets each event.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(base: stream.makeAsyncIterator())
  }
}

extension Database {
  /// Listens on channels, with a connection and a thread of its own, until the sequence is let go.
  ///
  /// Events that nobody fetches are kept up to a thousand; beyond that they are dropped and a
  /// ``Notifications/Event/resynchronise`` stands for them. A dead connection is noticed within ten seconds.
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
