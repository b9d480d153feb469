import CoreMetrics
import Prometheus
import Testing

@Suite struct ExpositionTests {
  private let descriptions = [
    MetricDescription("shop_sales_total", .counter, "Sales.", labels: ["till", "kind"]),
    MetricDescription("shop_queue", .gauge, "Who waits.\nBack\\slash."),
    MetricDescription("shop_wait_seconds", .histogram, "Waits.", labels: ["till"], buckets: [0.1, 1, 10]),
  ]

  @Test func `metrics are written in Prometheus's format in a fixed order`() {
    let registry = MetricsRegistry(descriptions)
    let sale = Counter(
      label: "shop_sales_total",
      dimensions: [("kind", "say \"hi\"\\\n"), ("till", "2")],
      factory: registry
    )
    sale.increment(by: 3)
    Counter(label: "shop_sales_total", dimensions: [("till", "1"), ("kind", "b")], factory: registry)
      .increment()
    Meter(label: "shop_queue", dimensions: [], factory: registry).set(2.5)
    let wait = Timer(label: "shop_wait_seconds", dimensions: [("till", "1")], factory: registry)
    for milliseconds in [50, 100, 200, 20_000] { wait.recordMilliseconds(milliseconds) }
    #expect(
      registry.text() == #"""
        # HELP shop_queue Who waits.\nBack\\slash.
        # TYPE shop_queue gauge
        shop_queue 2.5
        # HELP shop_sales_total Sales.
        # TYPE shop_sales_total counter
        shop_sales_total{till="1",kind="b"} 1
        shop_sales_total{till="2",kind="say \"hi\"\\\n"} 3
        # HELP shop_wait_seconds Waits.
        # TYPE shop_wait_seconds histogram
        shop_wait_seconds_bucket{till="1",le="0.1"} 2
        shop_wait_seconds_bucket{till="1",le="1"} 3
        shop_wait_seconds_bucket{till="1",le="10"} 3
        shop_wait_seconds_bucket{till="1",le="+Inf"} 4
        shop_wait_seconds_sum{till="1"} 20.35
        shop_wait_seconds_count{till="1"} 4

        """#
    )
  }

  @Test func `labels without description are dropped`() {
    let registry = MetricsRegistry(descriptions)
    Counter(
      label: "shop_sales_total",
      dimensions: [("till", "1"), ("kind", "a"), ("company_id", "secret")],
      factory: registry
    ).increment()
    #expect(registry.text().contains(#"shop_sales_total{till="1",kind="a"} 1"#))
    #expect(!registry.text().contains("secret"))
  }

  @Test func `label sets beyond the limit are counted together, and their number is reported`() {
    let registry = MetricsRegistry(descriptions, mostSeries: 3)
    for till in 0..<10 {
      Counter(
        label: "shop_sales_total",
        dimensions: [("till", "\(till)"), ("kind", "a")],
        factory: registry
      ).increment()
    }
    let lines = registry.text().split(separator: "\n").filter { $0.hasPrefix("shop_sales_total") }
    #expect(lines.count == 4)
    #expect(lines.contains(#"shop_sales_total{till="other",kind="other"} 7"#))
    #expect(registry.text().contains(#"fettle_metrics_overflows_total{metric="shop_sales_total"} 7"#))
  }

  @Test func `equal names and labels give the same metric, another type gives none`() {
    let registry = MetricsRegistry(descriptions)
    for _ in 0..<2 {
      Counter(label: "plain.count", dimensions: [("a-b", "1")], factory: registry).increment()
    }
    Meter(label: "plain.count", dimensions: [("a-b", "1")], factory: registry).set(9)
    #expect(registry.text().contains(#"plain_count{a_b="1"} 2"#))
  }

  @Test func `destroyed metrics are no longer written`() {
    let registry = MetricsRegistry(descriptions)
    let meter = Meter(label: "shop_queue", dimensions: [], factory: registry)
    meter.set(1)
    meter.destroy()
    #expect(registry.text().isEmpty)
  }

  @Test func `numbers are written in Prometheus's format`() {
    let registry = MetricsRegistry(descriptions)
    let meter = Meter(label: "shop_queue", dimensions: [], factory: registry)
    let values: [(Double, String)] = [
      (1e15, "1000000000000000"), (-0.5, "-0.5"), (.infinity, "+Inf"), (.nan, "NaN"), (1e-7, "1e-07"),
    ]
    for (value, text) in values {
      meter.set(value)
      #expect(registry.text().contains("shop_queue \(text)\n"))
    }
  }

  @Test func `a counter never decreases`() {
    let registry = MetricsRegistry(descriptions)
    let sales = FloatingPointCounter(label: "shop_sales_total", dimensions: [], factory: registry)
    sales.increment(by: 2)
    sales.increment(by: -1)
    sales.increment(by: Double.nan)
    #expect(registry.text().contains(#"shop_sales_total{till="",kind=""} 2"#))
  }

  @Test func `the process reports its resource usage`() throws {
    let registry = MetricsRegistry(ProcessMetrics.descriptions)
    let process = ProcessMetrics(registry)
    registry.beforeReading { process.read() }
    let text = registry.text()
    for description in ProcessMetrics.descriptions {
      let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("\(description.name) ") })
      #expect(try #require(Double(line.split(separator: " ")[1])) >= 0, "\(line)")
    }
    #expect(text.contains("# TYPE process_cpu_seconds_total counter"))
  }
}
