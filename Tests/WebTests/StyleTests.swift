import FoundationEssentials
import Testing
import Web
import WebFiles

/// The colours of pages, and what browsers load.
@Suite struct StyleTests {
  /// The colours by name: light and dark.
  private static func tokens() throws -> [String: (light: String, dark: String)] {
    let css = try #require(WebFiles.below("style").first { $0.name == "console.css" }).text
    var tokens: [String: (light: String, dark: String)] = [:]
    for match in css.matches(of: /--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/) {
      tokens[String(match.1)] = (String(match.2), String(match.3))
    }
    return tokens
  }

  /// The relative luminance of a colour (WCAG 2.2).
  private static func luminance(_ color: String) -> Double {
    let value = Int(color.dropFirst(), radix: 16) ?? 0
    let parts = [value >> 16, value >> 8 & 255, value & 255].map { part -> Double in
      let share = Double(part) / 255
      return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
  }

  private static func pow(_ base: Double, _ exponent: Double) -> Double {
    // exp(exponent * ln(base)) by series is exact enough for two digits.
    guard base > 0 else { return 0 }
    let half = (base - 1) / (base + 1)
    var (term, sum, index) = (half, 0.0, 1.0)
    while index < 200 {
      sum += term / index
      term *= half * half
      index += 2
    }
    let power = 2 * sum * exponent
    var (result, part) = (1.0, 1.0)
    for step in 1..<60 {
      part *= power / Double(step)
      result += part
    }
    return result
  }

  private static func contrast(_ first: String, _ second: String) -> Double {
    let (high, low) = (max(luminance(first), luminance(second)), min(luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)
  }

  @Test func `text, states, edges and focus have enough contrast in light and dark`() throws {
    let tokens = try Self.tokens()
    #expect(Self.contrast("#000000", "#ffffff") > 20.9)
    let states = ["yellow", "blue", "green", "red", "orange", "purple", "grey"]
    var pairs: [(String, String, Double)] = states.map { ($0, "\($0)-fill", 4.5) }
    for ground in ["bg", "surface", "sunken"] {
      pairs += [
        ("text", ground, 4.5), ("muted", ground, 4.5), ("accent", ground, 4.5), ("danger", ground, 4.5),
      ]
      pairs += [("edge", ground, 3), ("focus", ground, 3)]
    }
    pairs.append(("on-accent", "accent", 4.5))
    for (front, back, least) in pairs {
      let (front, back) = (try #require(tokens[front], "\(front)"), try #require(tokens[back], "\(back)"))
      #expect(Self.contrast(front.light, back.light) >= least, "\(front) on \(back), light")
      #expect(Self.contrast(front.dark, back.dark) >= least, "\(front) on \(back), dark")
    }
  }

  @Test func `a file is served under a name of its content, and under no other`() throws {
    let place = AssetLibrary.standard.place("console.css").text
    let name = try #require(place.split(separator: "/").last.map(String.init))
    let asset = try #require(AssetLibrary.standard.asset(name))
    #expect(asset.mediaType == "text/css; charset=utf-8")
    #expect(name.wholeMatch(of: /console\.[0-9a-f]{12}\.css/) != nil)
    #expect(AssetLibrary.standard.asset("console.css") == nil)
  }

  @Test func `the markup of pages has quoted attributes, no style and no script of its own`() throws {
    for path in try SourceFolder.files("Console") {
      let source = try SourceFolder.text(path)
      #expect(
        source.firstMatch(of: /<[a-z0-9]+ [^>"\\]*=[a-z]/) == nil,
        "\(path): an attribute without quotes"
      )
      #expect(source.firstMatch(of: /\ style=/) == nil, "\(path): a style in the page")
      #expect(source.firstMatch(of: /<[a-z][^>]* on[a-z]+=/) == nil, "\(path): a script in an attribute")
      let scripts = source.matches(of: /<script/).count
      #expect(scripts == (path.hasSuffix("Layout.swift") ? 1 : 0), "\(path)")
    }
  }
}
