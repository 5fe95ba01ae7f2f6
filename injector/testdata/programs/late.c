/* A library that a program opens late. */
int late_calls;

int late_function(int x)
{
  late_calls++;
  return x + 1;
}
