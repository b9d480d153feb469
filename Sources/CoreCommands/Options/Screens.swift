internal import FoundationEssentials
internal import Synchronization
package import Terminal

extension Screen {
  /// Where results go.
  package static var output: Screen { output(color: .auto) }

  /// Where results go, with the choice of `--color`.
  package static func output(color: ColorChoice) -> Screen { current(descriptor: 1, color: color) }

  /// Where messages and progress go.
  package static var errors: Screen { errors(color: .auto) }

  /// Where messages go, with the choice of `--color`.
  package static func errors(color: ColorChoice) -> Screen { current(descriptor: 2, color: color) }

  private static func current(descriptor: Int32, color: ColorChoice) -> Screen {
    var screen = detect(
      descriptor: descriptor,
      environment: ProcessInfo.processInfo.environment,
      color: color
    )
    screen.clock = CompanyClock.current
    return screen
  }
}

/// The clock by which this process shows moments: that of the company it works in, UTC before one is known.
package enum CompanyClock {
  private static let clock = Mutex<ZoneClock?>(nil)

  /// Nil: UTC.
  package static var current: ZoneClock? { clock.withLock(\.self) }

  /// Shows moments by the clock of a zone from here on.
  package static func use(_ zone: String) {
    guard zone != "UTC" else { return clock.withLock { $0 = nil } }
    clock.withLock { clock in
      if clock?.name != zone { clock = ZoneClock.load(zone) }
    }
  }
}
