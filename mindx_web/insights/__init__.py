"""What the insights show: sums and cases over the days that were asked for, as charts, tables and lists."""
