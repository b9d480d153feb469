internal import FoundationEssentials
internal import Synchronization
package import Terminal

extension Screen {
  /// The screen of stdout, for results.
  package static var output: Screen { output(color: .auto) }

  /// Returns the screen of stdout with the given `--color` choice.
  package static func output(color: ColorChoice) -> Screen { current(descriptor: 1, color: color) }

  /// The screen of stderr, for messages and progress.
  package static var errors: Screen { errors(color: .auto) }

  /// Returns the screen of stderr with the given `--color` choice.
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

/// The time zone in which this process shows timestamps: that of the company, or UTC before one is known.
package enum CompanyClock {
  private static let clock = Mutex<ZoneClock?>(nil)

  /// The clock; nil for UTC.
  package static var current: ZoneClock? { clock.withLock(\.self) }

  /// Shows timestamps in the given zone from now on, or in UTC if the zone is unknown.
  package static func use(_ zone: String) {
    guard zone != "UTC" else { return clock.withLock { $0 = nil } }
    clock.withLock { clock in
      if clock?.name != zone { clock = ZoneClock.load(zone) }
    }
  }
}
