internal import Values

/// The size of a window.
package enum Viewport: Sendable, CaseIterable {
  case phone, tablet, desk

  package var width: Int {
    switch self {
    case .phone: 360
    case .tablet: 800
    case .desk: 1_280
    }
  }

  package var height: Int {
    switch self {
    case .phone: 740
    case .tablet, .desk: 900
    }
  }
}

/// What the person has set in their system.
package struct Preferences: Sendable, Hashable {
  /// True for a dark theme.
  package var isDark = false
  package var reducesMotion = false
  /// True for the system's few colours instead of the page's.
  package var forcesColours = false

  package init(isDark: Bool = false, reducesMotion: Bool = false, forcesColours: Bool = false) {
    self.isDark = isDark
    self.reducesMotion = reducesMotion
    self.forcesColours = forcesColours
  }
}

/// These hold for the window of now, and for all pages that it opens.
extension Browser {
  /// Sets the size of the window.
  package func view(_ viewport: Viewport) async throws {
    try await view(width: viewport.width, height: viewport.height, isPhone: viewport == .phone)
  }

  /// Sets the size of the window.
  ///
  /// - Parameter isPhone: true to lay out as a phone does: a page that says nothing about its width is 980 wide.
  package func view(width: Int, height: Int, isPhone: Bool = false) async throws {
    guard driver.engine == .chromium else {
      try await command("POST", "/window/rect", ["width": .integer(width), "height": .integer(height)])
      return
    }
    try await chromium(
      "Emulation.setDeviceMetricsOverride",
      [
        "width": .integer(width), "height": .integer(height), "deviceScaleFactor": 1,
        "mobile": .bool(isPhone),
      ]
    )
  }

  /// Sets what the person prefers.
  package func prefer(_ preferences: Preferences) async throws {
    let features = [
      ("prefers-color-scheme", preferences.isDark ? "dark" : "light"),
      ("prefers-reduced-motion", preferences.reducesMotion ? "reduce" : "no-preference"),
      ("forced-colors", preferences.forcesColours ? "active" : "none"),
    ]
    let values = features.map { JSONValue.object(["name": .string($0), "value": .string($1)]) }
    try await chromium("Emulation.setEmulatedMedia", ["features": .array(values)])
  }

  /// Switches the scripts of pages on or off. Those of tests run all the same.
  package func allowScripts(_ isAllowed: Bool) async throws {
    try await chromium("Emulation.setScriptExecutionDisabled", ["value": .bool(!isAllowed)])
  }
}
