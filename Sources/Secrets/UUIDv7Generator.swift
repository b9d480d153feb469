package import FoundationEssentials
internal import Glibc
internal import Synchronization

/// Generates time-ordered UUIDs (RFC 9562, version 7). Each is greater than the previous one, even within a
/// millisecond and after the clock was set back.
package final class UUIDv7Generator: Sendable {
  /// The generator of this process. Ids of different processes are ordered by their clocks only.
  package static let shared = UUIDv7Generator()

  /// The time and the tail of the last id; a value, so that edge cases can be tested.
  struct State {
    /// Milliseconds since 1970.
    var millisecond: UInt64 = 0
    /// The 74 random bits of the id, which increase within a millisecond.
    var tail: UInt128 = 0

    /// Advances to the next id.
    mutating func advance(now: UInt64, random: (high: UInt64, low: UInt64)) {
      guard now <= millisecond else {
        // The top bit stays clear, so that increases within the millisecond do not overflow soon.
        millisecond = now
        tail = (UInt128(random.high) << 64 | UInt128(random.low)) & (1 << 73 - 1)
        return
      }
      // A random step of 1 to 2^32 makes the next id hard to predict.
      tail += UInt128(random.low & 0xFFFF_FFFF) + 1
      if tail >= 1 << 74 {
        millisecond += 1
        tail &= 1 << 73 - 1
      }
    }
  }

  private let state = Mutex(State())
  private let now: @Sendable () -> UInt64
  private let random: @Sendable () -> UInt64

  /// Creates a generator from a clock in milliseconds since 1970 and a source of random numbers.
  package init(
    now: @escaping @Sendable () -> UInt64 = UUIDv7Generator.systemMilliseconds,
    random: @escaping @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
  ) {
    self.now = now
    self.random = random
  }

  /// Returns the next id.
  package func next() -> UUID {
    let (now, random) = (now(), (high: random(), low: random()))
    let (millisecond, tail) = state.withLock { state in
      state.advance(now: now, random: random)
      return (state.millisecond, state.tail)
    }
    let head = UInt128(millisecond & 0xFFFF_FFFF_FFFF) << 80 | 0x7 << 76 | (tail >> 62) << 64
    return UUID(number: head | 0b10 << 62 | tail & (1 << 62 - 1))
  }

  /// Returns the time of the system's clock, in milliseconds since 1970.
  package static func systemMilliseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return UInt64(max(0, time.tv_sec)) * 1000 + UInt64(time.tv_nsec) / 1_000_000
  }
}
