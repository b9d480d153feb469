internal import API
internal import Charts
internal import Domain
internal import Engine
internal import Store
internal import Web

/// The energy of a day, hour by hour on the clocks of the site.
extension Console {
  func sunDay(_ visit: Visit) async throws -> APIAnswer {
    let frame = try await screens.frame(visit.acting)
    let words = Words.of(frame.language)
    let asked = ["site", "date"].compactMap { name in
      visit.request.asked(name).map { (name: name, value: $0) }
    }
    let day = try await inner.send(.get, ["v1", "solar", "hours"], query: asked, for: visit.request).object
    let (site, date) = (day["site"]?.string ?? "", day["date"]?.string ?? "")
    let path = Visit.path(of: "solar.site", site)
    let name = try await inner.send(.get, path, for: visit.request).object["name"]?.string ?? ""
    let hours = day["hours"]?.array?.compactMap(\.object) ?? []
    let times = hours.map { $0["local_time"]?.string ?? "" }
    // On the day that has an hour twice, only the offset tells the two apart.
    let labels = hours.enumerated().map { index, hour -> String in
      let isTwice = times.count { $0 == times[index] } > 1
      return isTwice ? "\(times[index]) (\(hour["offset"]?.string ?? ""))" : times[index]
    }
    let numbers = NumberText(words.language)
    let rows = zip(hours, labels).map { hour, label -> HTML in
      func number(_ column: String) -> HTML {
        guard let value = hour[column], !value.isNull else { return "\(words("value.none"))" }
        return "\(numbers.text(decimal: value.displayText))"
      }
      return """
        <tr><th scope="row">\(label)</th><td class="number" data-label="kWh">\(number("kwh"))</td><td class="number" data-label="\(words("solar.peak"))">\(number("peak_kw"))</td></tr>
        """
    }
    let title = "\(name) · \(DateText(words.language).text(date: date))"
    let html = Layout.page(
      visit,
      frame,
      title: title,
      at: "solar.site",
      """
      <p class="crumb"><a href="\(link: visit.place("solar", "site", site))">\(own: name)</a></p>
      <div class="head"><h1>\(own: title)</h1><div class="actions">\(neighbours(visit, site, date, words))</div></div>
      \(Self.bars(hours, labels, words))
      <div class="scroll" role="region" aria-label="\(words("solar.hours"))" tabindex="0"><table class="slim"><thead><tr><th scope="col">\(words("solar.hour"))</th><th scope="col" class="number">kWh</th><th scope="col" class="number">\(words("solar.peak"))</th></tr></thead><tbody>\(rows)</tbody></table></div>
      """
    )
    return .page(html, for: visit.request)
  }

  private func neighbours(_ visit: Visit, _ site: String, _ date: String, _ words: Words) -> HTML {
    guard let day = try? LocalDate(parsing: date) else { return .none }
    return .joined(
      [(-1, "solar.before"), (1, "solar.after")].map { step, key -> HTML in
        let other = LocalDate(daysSince1970: day.daysSince1970 + step)
        let place = visit.place("solar", "day", query: [("site", site), ("date", "\(other)")])
        return "<a class=\"button\" href=\"\(link: place)\">\(words(key))</a>"
      }
    )
  }

  /// The hours as bars. An hour that no readings cover has none, and keeps its place.
  private static func bars(_ hours: [JSONObject], _ labels: [String], _ words: Words) -> HTML {
    let items = zip(hours, labels).map { hour, _ -> JSONObject in
      let kwh = hour["kwh"].flatMap { $0.isNull ? nil : $0 } ?? .integer(0)
      return ["hour": .string(hour["starts_at"]?.string ?? ""), "kwh": kwh]
    }
    let shown = Dictionary(zip(items.map { $0["hour"]?.string ?? "" }, labels)) { first, _ in first }
    return ChartPicture(
      ReportChart(kind: .bars, x: "hour", y: "kwh", series: nil),
      items,
      kind: "date",
      words: words,
      name: { _ in "kWh" },
      place: { shown[$0] ?? $0 }
    ).html
  }
}
